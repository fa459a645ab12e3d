// expect: ok
// value: 1
return @repeat(200, "(") 1 @repeat(200, ")");
