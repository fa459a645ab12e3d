// expect: thrown
// error: TypeError
setTimeout(() => {}, Symbol('x'));
