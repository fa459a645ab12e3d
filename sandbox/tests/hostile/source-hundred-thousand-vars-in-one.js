// expect: ok, timed_out, memory
// slow: yes
var @repeat(100000, "v$n,\n") last;
