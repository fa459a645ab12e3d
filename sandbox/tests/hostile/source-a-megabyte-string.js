// expect: ok
// value: 1000000
return '@repeat(1000000, "x")'.length;
