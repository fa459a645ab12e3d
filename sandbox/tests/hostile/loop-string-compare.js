// expect: timed_out, memory, thrown, lost
// slow: yes
const hay = 'a'.repeat(1e7);
for (;;) hay.slice(1).localeCompare(hay.slice(0, -1));
