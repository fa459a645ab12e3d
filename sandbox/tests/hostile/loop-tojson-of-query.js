// expect: timed_out
await rlm({ toJSON() { for (;;) {} } });
