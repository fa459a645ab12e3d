// expect: ok, timed_out, memory
console.table(new Array(1e6).fill({ a: 1, b: 2 }));
