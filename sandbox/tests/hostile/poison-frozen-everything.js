// expect: ok
for (const value of [Object, Array, Function, Promise, String, Error, Map, Set, JSON, Math, Reflect, Symbol, RegExp, Number]) { Object.freeze(value); if (value.prototype) Object.freeze(value.prototype); }
