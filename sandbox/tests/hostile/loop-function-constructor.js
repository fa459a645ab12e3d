// expect: timed_out
new Function('for (;;) {}')();
