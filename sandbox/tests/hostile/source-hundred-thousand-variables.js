// expect: ok, timed_out
@repeat(100000, "let v$n;\n")
