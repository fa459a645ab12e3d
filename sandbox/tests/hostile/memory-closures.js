// expect: memory, timed_out
let last = () => 0;
for (;;) { const before = last, weight = new Array(100).fill(0); last = () => before() + weight[0]; }
