// expect: thrown
// error: ReferenceError
const { eval: renamed } = globalThis;
((...[eval]) => eval('__repl_rt.constant'))(renamed);
