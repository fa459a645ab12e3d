// expect: timed_out
console.log({ get [Symbol.toStringTag]() { for (;;) {} } });
