// expect: timed_out
({}) instanceof class { static get [Symbol.hasInstance]() { for (;;) {} } };
