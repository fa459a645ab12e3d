// expect: ok, thrown
let @repeat(1000000, "a") = 1;
