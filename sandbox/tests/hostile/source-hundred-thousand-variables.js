// expect: ok, timed_out, memory
// slow: yes
@repeat(100000, "let v$n;\n")
