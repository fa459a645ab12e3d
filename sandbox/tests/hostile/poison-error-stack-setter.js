// expect: thrown
Object.defineProperty(Error.prototype, 'stack', { configurable: true, get() { throw 1; }, set() { throw 2; } });
Object.defineProperty(Error, 'stackTraceLimit', { configurable: true, get() { throw 3; } });
missing.property;
