// expect: timed_out
await null;
let rounds = 0;
for (;;) rounds++;
