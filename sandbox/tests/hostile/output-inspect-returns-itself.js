// expect: ok, thrown, timed_out
const custom = { [Symbol.for('nodejs.util.inspect.custom')]() { return this; } };
console.log(custom);
