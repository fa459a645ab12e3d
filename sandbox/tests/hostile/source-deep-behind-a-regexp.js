// expect: syntax
// error: nested
// why: a quote inside a regular expression must not hide what follows
if (1) /"/; @repeat(50000, "(") "
