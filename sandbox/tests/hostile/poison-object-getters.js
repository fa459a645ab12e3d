// expect: ok
// why: plain literals inherit what the model plants; the library must not look there
for (const name of ['get', 'set', 'writable', 'configurable', 'enumerable', 'id', 'agent', 'entry', 'resolve', 'reject', 'observed', 'settled', 'head', 'abandoned', 'unawaited', 'scope', 'env', 'cell', 'maxChars', 'left', 'exports', 'iteration', 'local', 'data', 'parent', 'received', 'calls', 'timers', 'repeat', 'live']) Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true, get() { throw new Error('a getter met'); } });
