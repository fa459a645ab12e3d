// expect: timed_out
({ [{ toString() { for (;;) {} } }]: 1 });
