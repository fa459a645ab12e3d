// expect: thrown
// error: ReferenceError
(function (eval) { return eval('typeof __repl_scope + __repl_scope.kept'); })(eval);
