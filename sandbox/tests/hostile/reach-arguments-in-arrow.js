// expect: thrown
// error: ReferenceError
(() => arguments)();
