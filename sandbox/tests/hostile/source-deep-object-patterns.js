// expect: syntax
// error: nested
let @repeat(20000, "{a:") x @repeat(20000, "}") = 1;
