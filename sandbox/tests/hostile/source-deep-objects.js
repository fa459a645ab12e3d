// expect: syntax
// error: nested
@repeat(20000, "({a:") 1 @repeat(20000, "})");
