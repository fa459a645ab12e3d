// expect: ok
// why: `then` asks a promise for its constructor
void Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, get() { throw new Error('a getter met'); } });
