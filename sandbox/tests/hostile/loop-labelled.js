// expect: timed_out
outer: for (;;) { for (;;) { continue outer; } }
