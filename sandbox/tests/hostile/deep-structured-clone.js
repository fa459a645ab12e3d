// expect: thrown
// error: RangeError
let nested = [];
for (let i = 0; i < 100_000; i++) nested = [nested];
structuredClone(nested);
