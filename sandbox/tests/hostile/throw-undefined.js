// expect: thrown
// error: undefined
throw undefined;
