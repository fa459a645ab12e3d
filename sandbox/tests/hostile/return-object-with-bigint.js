// expect: thrown
// error: TypeError
return { n: 1n };
