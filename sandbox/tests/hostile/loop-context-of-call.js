// expect: ok, timed_out
await rlm('with a context', { toJSON() { for (;;) {} } });
