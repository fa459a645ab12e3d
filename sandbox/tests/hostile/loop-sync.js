// expect: timed_out
for (;;) {}
