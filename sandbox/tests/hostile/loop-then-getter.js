// expect: timed_out
await { get then() { for (;;) {} } };
