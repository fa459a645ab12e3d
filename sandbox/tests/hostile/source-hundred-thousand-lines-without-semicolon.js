// expect: ok, timed_out, memory
@repeat(20000, "let v$n = $n\n")
