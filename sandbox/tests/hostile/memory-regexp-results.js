// expect: memory, thrown, timed_out
const found = [];
for (;;) found.push('abc'.repeat(10_000).match(/b/g));
