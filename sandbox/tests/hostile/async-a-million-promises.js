// expect: ok, timed_out, memory
await Promise.all(Array.from({ length: 1e6 }, (_, i) => Promise.resolve(i)));
