// expect: timed_out
console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;) {} } });
