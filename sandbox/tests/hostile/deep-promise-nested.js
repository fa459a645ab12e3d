// expect: ok, timed_out, memory
let p = Promise.resolve(1);
for (let i = 0; i < 20_000; i++) { const inner = p; p = (async () => await inner)(); }
await p;
