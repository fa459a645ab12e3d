// expect: ok, timed_out, memory
@repeat(100000, "let v$n;\n")
