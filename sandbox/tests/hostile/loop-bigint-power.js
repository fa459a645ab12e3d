// expect: timed_out, thrown, memory, lost
// why: one multiplication of huge numbers runs inside the engine without checks for termination
const big = 2n ** (2n ** 24n);
big * big * big > 0n;
