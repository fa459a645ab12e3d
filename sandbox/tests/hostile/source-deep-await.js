// expect: syntax
// error: nested
@repeat(100000, "await ") 1;
