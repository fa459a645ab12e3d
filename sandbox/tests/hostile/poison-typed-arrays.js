// expect: ok
const TypedArray = Object.getPrototypeOf(Uint8Array);
for (const prototype of [TypedArray.prototype, Uint8Array.prototype, ArrayBuffer.prototype, DataView.prototype]) for (const name of Reflect.ownKeys(prototype)) { if (name !== 'constructor') { try { Object.defineProperty(prototype, name, { get() { throw 1; } }); } catch {} } }
