// expect: timed_out
class Eager { static { for (;;) {} } }
