// expect: ok, thrown
Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { throw new Error('a getter met'); } });
return 'answer';
