// expect: thrown
for (const name of ['Error', 'TypeError', 'RangeError', 'ReferenceError']) { try { globalThis[name] = null; } catch {} }
Error.prototype.toString = () => { throw 1; };
Object.defineProperty(Error.prototype, 'message', { get() { throw 2; }, set() { throw 3; } });
Object.defineProperty(Error.prototype, 'name', { get() { throw 4; } });
missing.property;
