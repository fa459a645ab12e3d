// expect: thrown, memory, timed_out, lost
// why: more digits than an engine has is an error of its own, and no host goes on above its limit
let huge = 1n << (2n ** 29n);
for (;;) huge = huge << 2n ** 29n;
