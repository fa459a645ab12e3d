// expect: syntax
// error: nested
x = @repeat(20000, "(a=") 1 @repeat(20000, ")=>1");
