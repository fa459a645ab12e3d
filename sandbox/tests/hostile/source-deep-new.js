// expect: syntax
// error: nested
@repeat(100000, "new ") Object;
