// expect: syntax
// error: nested
@repeat(500000, "!") 1;
