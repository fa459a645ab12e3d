// expect: ok, thrown, timed_out
// on-v8: ok, thrown, timed_out, memory; memory of deep objects
let nested = [];
for (let i = 0; i < 100_000; i++) nested = [nested];
console.dir(nested, { depth: Infinity });
