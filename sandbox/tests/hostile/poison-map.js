// expect: ok
for (const Type of [Map, Set, WeakMap, WeakSet, WeakRef]) for (const name of Reflect.ownKeys(Type.prototype)) { if (name !== 'constructor') { try { Object.defineProperty(Type.prototype, name, { value() { throw new Error('patched ' + String(name)); } }); } catch {} } }
