// expect: timed_out
function* stubborn() { try { yield 1; } finally { for (;;) {} } }
for (const x of stubborn()) break;
