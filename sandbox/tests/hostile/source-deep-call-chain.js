// expect: syntax
// error: nested
f @repeat(100000, "()");
