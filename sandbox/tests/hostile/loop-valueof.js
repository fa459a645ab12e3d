// expect: timed_out
+{ valueOf() { for (;;) {} } };
