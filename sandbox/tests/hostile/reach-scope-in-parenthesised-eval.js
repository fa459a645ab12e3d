// expect: thrown
// error: ReferenceError
(eval)('__repl_scope');
