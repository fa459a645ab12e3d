// expect: syntax
// error: nested
// why: parameters or not is known at the closing bracket; each level may be read twice
@repeat(3000, "(a,b=") 1 @repeat(3000, ")");
