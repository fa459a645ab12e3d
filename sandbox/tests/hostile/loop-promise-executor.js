// expect: timed_out
new Promise(() => { for (;;) {} });
