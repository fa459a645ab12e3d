// expect: ok
@repeat(20000, "var same;")
