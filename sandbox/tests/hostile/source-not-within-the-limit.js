// expect: ok
// value: true
return @repeat(2000, "!") true;
