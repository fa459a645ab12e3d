// expect: ok
// value: {"n":1}
return { n: 1n };
