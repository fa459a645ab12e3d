// expect: ok, timed_out, memory
var @repeat(100000, "v$n,\n") last;
