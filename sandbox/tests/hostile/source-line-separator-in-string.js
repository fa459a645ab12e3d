// expect: ok
// value: 1
return '@repeat(1, "\u2028")'.length;
