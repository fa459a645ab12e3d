// expect: thrown
// error: TypeError
clearTimeout({});
clearInterval(Symbol('x'));
clearTimeout(-1);
setTimeout('globalThis.evaluated = 1', 1);
