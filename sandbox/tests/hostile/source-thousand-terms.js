// expect: ok
// value: 3001
return 1@repeat(3000, "+1");
