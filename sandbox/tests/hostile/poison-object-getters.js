// expect: ok
// why: plain literals inherit properties set by the model, which the library must not read
for (const name of ['get', 'set', 'writable', 'configurable', 'enumerable', 'id', 'agent', 'entry', 'resolve', 'reject', 'observed', 'settled', 'head', 'abandoned', 'unawaited', 'scope', 'env', 'cell', 'maxChars', 'left', 'exports', 'iteration', 'local', 'data', 'parent', 'received', 'calls', 'timers', 'repeat', 'live']) Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true, get() { throw new Error('a getter met'); } });
