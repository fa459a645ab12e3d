// expect: thrown, memory, timed_out, lost
// why: too many digits are an engine error, and the process must not grow beyond its limit
let huge = 1n << (2n ** 29n);
for (;;) huge = huge << 2n ** 29n;
