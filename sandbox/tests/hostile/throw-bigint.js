// expect: thrown
// error: 123
throw 123n;
