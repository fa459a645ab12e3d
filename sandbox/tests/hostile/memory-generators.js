// expect: memory, timed_out
const open = [];
for (;;) { const g = (function* () { yield new Array(1000).fill(0); })(); g.next(); open.push(g); }
