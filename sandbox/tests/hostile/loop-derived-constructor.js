// expect: timed_out
class Derived extends (() => { for (;;) {} })() {}
