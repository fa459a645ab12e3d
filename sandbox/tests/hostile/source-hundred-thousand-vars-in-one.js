// expect: ok, timed_out
var @repeat(100000, "v$n,\n") last;
