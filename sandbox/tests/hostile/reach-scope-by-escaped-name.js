// expect: syntax
// error: reserved
__repl_sc\u006fpe.kept = 'stolen';
