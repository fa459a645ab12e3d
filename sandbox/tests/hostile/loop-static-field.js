// expect: timed_out
class Eager { static field = (() => { for (;;) {} })(); }
