// expect: syntax
// error: nested
({} / 1); x = {} / 2; @repeat(50000, "(") / "
