// expect: timed_out
const target = { set x(_) { for (;;) {} } };
target.x = 1;
