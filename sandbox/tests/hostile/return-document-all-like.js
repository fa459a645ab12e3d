// expect: ok
return Object(Symbol('boxed'));
