// expect: ok
for (const Type of [Array, Promise, Map, Set, RegExp, ArrayBuffer]) Object.defineProperty(Type, Symbol.species, { configurable: true, get() { throw new Error('species met'); } });
