// expect: timed_out
({ get x() { for (;;) {} } }).x;
