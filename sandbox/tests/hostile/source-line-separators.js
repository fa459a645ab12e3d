// expect: ok
// value: 3
let one = 1@repeat(1, "\u2028")let two = 2@repeat(1, "\u2029")return one + two;
