// expect: ok, thrown
eval`__repl_scope`;
