// expect: syntax
// error: nested
x.return / 1; @repeat(50000, "(") / "
