// expect: syntax
// error: reserved
__repl_scope.kept = 'stolen';
