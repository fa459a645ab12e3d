// expect: thrown, syntax
// error: *
const f = (eval) => eval('__repl_scope');
f(globalThis.eval);
