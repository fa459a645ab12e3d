// expect: syntax
// error: nested
@repeat(20000, "x=class{static{") @repeat(20000, "}}");
