// expect: timed_out
throw { get message() { for (;;) {} } };
