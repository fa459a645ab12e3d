// expect: timed_out
await Promise.resolve().finally(() => { for (;;) {} });
