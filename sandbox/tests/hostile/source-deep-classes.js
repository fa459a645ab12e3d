// expect: syntax
// error: nested
x = @repeat(20000, "class{a=") 1 @repeat(20000, "}");
