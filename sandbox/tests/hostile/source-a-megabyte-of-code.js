// expect: ok, timed_out, memory
@repeat(60000, "let v$n = $n * 2;\n")
