// expect: syntax
// error: nested
{} /"/; @repeat(50000, "(") "
