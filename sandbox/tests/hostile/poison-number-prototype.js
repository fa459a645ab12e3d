// expect: ok
for (const Type of [Number, Boolean, Symbol, BigInt]) for (const name of Object.getOwnPropertyNames(Type.prototype)) { try { Type.prototype[name] = () => { throw 1; }; } catch {} }
