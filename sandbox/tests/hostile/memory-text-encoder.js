// expect: memory, thrown, timed_out
const all = [];
for (;;) all.push(new TextEncoder().encode('x'.repeat(1e6)));
