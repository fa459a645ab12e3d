// expect: timed_out
const settled = Promise.resolve(1); for (;;) await settled
