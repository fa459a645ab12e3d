// expect: timed_out
new Proxy({}, { get() { for (;;) {} } }).x;
