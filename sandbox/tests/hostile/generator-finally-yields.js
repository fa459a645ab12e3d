// expect: timed_out, ok
function* stubborn() { try { yield 1; } finally { for (;;) yield 'no'; } }
for (const x of stubborn()) break;
const g = stubborn(); g.next(); for (let i = 0; i < 1000; i++) g.return();
return g.next().value;
