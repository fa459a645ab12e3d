// expect: thrown
// error: ReferenceError
(function* () {}).constructor('yield __repl_scope')().next();
