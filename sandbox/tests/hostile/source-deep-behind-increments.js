// expect: syntax
// error: nested
let i = 1; i++ / 2; @repeat(50000, "(") /1
