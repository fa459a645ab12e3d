// expect: ok, timed_out, memory
console.log(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => ['key' + i, i])));
