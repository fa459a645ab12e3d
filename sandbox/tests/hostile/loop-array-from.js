// expect: timed_out
Array.from({ length: 3 }, () => { for (;;) {} });
