// expect: thrown
// error: ReferenceError
arguments[0].secret = 1;
