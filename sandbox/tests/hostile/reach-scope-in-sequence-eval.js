// expect: thrown
// error: ReferenceError
(0, eval)('__repl_scope'), new eval('__repl_scope');
