// expect: syntax
// error: nested
1@repeat(100000, "+1");
