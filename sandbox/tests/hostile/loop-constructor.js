// expect: timed_out
new (class { constructor() { for (;;) {} } })();
