// expect: ok, timed_out, memory
let p = Promise.resolve(1);
for (let i = 0; i < 50_000; i++) p = p.then((x) => x);
await p;
