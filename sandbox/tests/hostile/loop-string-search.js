// expect: timed_out, memory, lost
// why: the engine checks for termination once in thousands of steps, and one step is a long search
const hay = 'a'.repeat(1e7);
for (;;) hay.indexOf('b');
