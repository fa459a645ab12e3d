// expect: ok
// value: null
return null;
