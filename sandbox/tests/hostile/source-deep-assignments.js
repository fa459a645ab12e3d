// expect: syntax
// error: nested
@repeat(100000, "a=") 1;
