// expect: timed_out, memory
const hay = 'a'.repeat(1e7);
for (;;) hay.indexOf('b');
