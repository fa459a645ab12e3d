// expect: ok, timed_out
const loud = { get x() { console.log('from within', this); return 1; } };
console.log(loud, loud.x);
