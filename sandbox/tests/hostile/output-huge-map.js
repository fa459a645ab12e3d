// expect: ok, timed_out, memory
console.log(new Map(Array.from({ length: 100_000 }, (_, i) => [i, { i }])));
