// expect: ok, thrown
for (const Type of [Function, Array, Promise, Error, String, Symbol, Map, Set]) { try { Object.setPrototypeOf(Type.prototype, null); } catch {} }
