// expect: syntax
// error: nested
@repeat(100000, "1?") 2 @repeat(100000, ":3");
