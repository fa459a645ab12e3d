// expect: syntax
// error: reserved
\u{5f}_repl_rt.returned(1);
