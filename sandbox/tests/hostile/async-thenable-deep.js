// expect: ok, timed_out, memory
let deep = { then: (resolve) => resolve(1) };
for (let i = 0; i < 20_000; i++) { const inner = deep; deep = { then: (resolve) => resolve(inner) }; }
await deep;
