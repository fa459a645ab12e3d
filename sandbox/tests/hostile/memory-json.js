// expect: memory, thrown, timed_out, lost
// slow: yes
const rows = Array.from({ length: 10_000 }, (_, i) => ({ i, s: 'x'.repeat(100) }));
let json = JSON.stringify(rows);
for (;;) json += JSON.stringify(rows);
