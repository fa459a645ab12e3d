// expect: timed_out
await { then() { for (;;) {} } };
