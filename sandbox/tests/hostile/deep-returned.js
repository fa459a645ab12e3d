// expect: thrown
// on-v8: ok; deep JSON
// error: RangeError
let nested = [];
for (let i = 0; i < 50_000; i++) nested = [nested];
return nested;
