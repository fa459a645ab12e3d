// expect: syntax
// error: nested
@repeat(50000, "{") @repeat(50000, "}")
