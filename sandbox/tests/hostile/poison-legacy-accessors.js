// expect: ok
Object.prototype.__defineSetter__('kept', () => { throw 1; });
Object.prototype.__defineGetter__('missingName', () => { throw 2; });
globalThis.__defineGetter__('anotherName', function () { return this; });
