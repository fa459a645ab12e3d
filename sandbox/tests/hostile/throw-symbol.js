// expect: thrown
// error: Symbol(thrown)
throw Symbol('thrown');
