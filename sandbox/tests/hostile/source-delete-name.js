// expect: ok, syntax
let gone = 1;
delete gone;
