// expect: timed_out
[3, 1, 2].sort(() => { for (;;) {} });
