// expect: timed_out
const [a, b] = { [Symbol.iterator]: () => ({ next() { for (;;) {} } }) };
