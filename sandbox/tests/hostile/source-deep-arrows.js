// expect: syntax
// error: nested
x = @repeat(50000, "a=>") 1;
