// expect: timed_out
[...{ [Symbol.iterator]() { for (;;) {} } }];
