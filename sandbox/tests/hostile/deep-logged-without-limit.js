// expect: ok, thrown, timed_out
let nested = [];
for (let i = 0; i < 100_000; i++) nested = [nested];
console.dir(nested, { depth: Infinity });
