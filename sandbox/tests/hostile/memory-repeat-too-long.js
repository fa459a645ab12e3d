// expect: thrown
// error: RangeError
'x'.repeat(2 ** 32);
