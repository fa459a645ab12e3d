// expect: ok, timed_out
@repeat(60000, "let v$n = $n * 2;\n")
