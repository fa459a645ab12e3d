// expect: syntax
// error: nested
@repeat(100000, "if (0) {} else ") ;
