// expect: timed_out
return { toJSON() { for (;;) {} } };
