// expect: syntax
// error: nested
@repeat(2000, "f(!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!") 1 @repeat(2000, ")");
