// expect: syntax
// error: nested
@repeat(100000, "typeof ") 1;
