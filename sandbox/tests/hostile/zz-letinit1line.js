// expect: ok
@repeat(20000, "let v$n=1;")
