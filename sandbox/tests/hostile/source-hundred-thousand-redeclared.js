// expect: ok, timed_out
@repeat(100000, "var same;\n")
