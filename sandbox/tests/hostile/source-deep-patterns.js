// expect: syntax
// error: nested
let @repeat(20000, "[") x @repeat(20000, "]") = 1;
