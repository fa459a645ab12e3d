// expect: ok, timed_out, memory
console.table([Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => ['c' + i, i]))]);
