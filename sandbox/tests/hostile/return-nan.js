// expect: ok
// value: NaN
return NaN;
