// expect: thrown
// error: TypeError
return Object(Symbol('boxed'));
