// expect: ok
// why: `then` reads the constructor of a promise
void Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, get() { throw new Error('a getter met'); } });
