// expect: timed_out
await rlm('first');
for (;;) {}
