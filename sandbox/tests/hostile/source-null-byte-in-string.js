// expect: ok
// value: 3
return 'a@repeat(1, "\u0000")b'.length;
