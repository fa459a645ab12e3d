// expect: timed_out, memory
for (;;) new WeakRef({});
