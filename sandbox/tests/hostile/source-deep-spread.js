// expect: syntax
// error: nested
@repeat(20000, "[...") [] @repeat(20000, "]");
