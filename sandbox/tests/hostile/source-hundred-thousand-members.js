// expect: ok, timed_out, syntax, memory
({ @repeat(100000, "m$n() {},") });
