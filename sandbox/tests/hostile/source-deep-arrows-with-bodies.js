// expect: syntax
// error: nested
x = @repeat(20000, "()=>{return ") 1 @repeat(20000, "}");
