// expect: timed_out
eval('for (;;) {}');
