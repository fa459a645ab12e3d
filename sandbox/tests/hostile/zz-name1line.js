// expect: ok
@repeat(20000, "kept;")
