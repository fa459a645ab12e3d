// expect: syntax
// error: the line is too long
@repeat(100000, "await 1;")
