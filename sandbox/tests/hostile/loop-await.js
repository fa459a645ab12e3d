// expect: timed_out
for (;;) await null;
