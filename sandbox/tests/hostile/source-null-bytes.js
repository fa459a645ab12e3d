// expect: syntax
let a@repeat(1, "\u0000")b = 1;
