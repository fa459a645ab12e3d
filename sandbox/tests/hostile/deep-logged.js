// expect: ok
// output: [Array]
let nested = [];
for (let i = 0; i < 100_000; i++) nested = [nested];
console.log(nested);
