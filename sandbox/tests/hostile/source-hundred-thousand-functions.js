// expect: ok, timed_out, syntax, memory, lost
@repeat(100000, "function f$n(){}\n")
