// expect: ok
for (let i = 0; i < 10; i++) Object.defineProperty(Object.prototype, i, { configurable: true, get() { return 'planted'; }, set() { throw new Error('a setter met'); } });
