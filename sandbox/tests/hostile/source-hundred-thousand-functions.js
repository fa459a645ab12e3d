// expect: ok, timed_out, syntax, memory, lost
// slow: yes
@repeat(100000, "function f$n(){}\n")
