// expect: syntax
// error: nested
@repeat(20000, "function f(){") @repeat(20000, "}")
