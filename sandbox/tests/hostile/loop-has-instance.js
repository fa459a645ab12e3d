// expect: timed_out
({}) instanceof { [Symbol.hasInstance]() { for (;;) {} } };
