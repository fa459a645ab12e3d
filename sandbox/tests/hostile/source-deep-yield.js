// expect: syntax
// error: nested
function* g() { @repeat(100000, "yield ") 1 }
