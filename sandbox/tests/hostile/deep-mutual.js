// expect: thrown
// error: RangeError
const even = (n) => odd(n + 1) + 1, odd = (n) => even(n + 1) + 1;
even(0);
