// expect: ok
// value: 55296
return '\ud800'.charCodeAt(0);
