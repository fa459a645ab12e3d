// expect: thrown
Error.prepareStackTrace = () => ({ split: null, toString() { throw 1; } });
missing.property;
