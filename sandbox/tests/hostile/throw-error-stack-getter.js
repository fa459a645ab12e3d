// expect: thrown
// error: with a stack
throw Object.defineProperty(new Error('with a stack'), 'stack', { get() { throw 1; } });
