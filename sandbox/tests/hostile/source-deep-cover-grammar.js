// expect: syntax
// error: nested
// why: only the closing bracket shows whether parameters preceded it, so each level may be read twice
@repeat(3000, "(a,b=") 1 @repeat(3000, ")");
