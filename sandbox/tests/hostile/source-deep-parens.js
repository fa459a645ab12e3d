// expect: syntax
// error: nested
@repeat(5000, "(") 1 @repeat(5000, ")");
