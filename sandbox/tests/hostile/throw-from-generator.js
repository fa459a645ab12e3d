// expect: thrown
// error: inside
[...(function* () { yield 1; throw new Error('inside'); })()];
