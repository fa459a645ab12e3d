// expect: ok, timed_out, syntax, memory, lost
// slow: yes
@repeat(100000, "class C$n{}\n")
