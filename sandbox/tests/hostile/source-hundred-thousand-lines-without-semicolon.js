// expect: ok, timed_out
@repeat(20000, "let v$n = $n\n")
