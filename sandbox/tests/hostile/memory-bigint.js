// expect: memory, thrown, timed_out
const numbers = [];
for (let n = 2n ** 100_000n; ; n++) numbers.push(n);
