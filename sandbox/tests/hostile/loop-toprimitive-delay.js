// expect: timed_out
setTimeout(() => {}, { [Symbol.toPrimitive]() { for (;;) {} } });
