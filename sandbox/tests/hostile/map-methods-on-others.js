// expect: ok
// value: true
let thrown = 0;
for (const Kind of [Map, Set, WeakMap, WeakSet, Promise, Date, RegExp, ArrayBuffer, DataView, Uint8Array]) for (const name of Reflect.ownKeys(Kind.prototype)) { const { value, get } = Object.getOwnPropertyDescriptor(Kind.prototype, name); for (const receiver of [{}, null, new Proxy(new Map(), {}), Object.create(Kind.prototype)]) { try { (value ?? get)?.call?.(receiver, 1, 2); } catch { thrown++; } } }
return thrown > 300;
