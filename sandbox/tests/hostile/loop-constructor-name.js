// expect: ok, timed_out
class Slow { static get name() { for (;;) {} } }
console.log(new Slow());
