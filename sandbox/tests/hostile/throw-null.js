// expect: thrown
// error: null
throw null;
