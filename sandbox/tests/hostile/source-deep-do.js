// expect: syntax
// error: nested
@repeat(100000, "do ") ; @repeat(100000, " while (0)")
