// expect: ok, thrown
// keeps: no
for (const Type of [Function, Array, Promise, Error, TypeError, String, Symbol, Map, Set, Object]) for (const key of Reflect.ownKeys(Type.prototype)) { try { delete Type.prototype[key]; } catch {} }
