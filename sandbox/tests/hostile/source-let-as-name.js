// expect: syntax, ok, thrown
let let = 1;
