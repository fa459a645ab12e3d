// expect: ok
@repeat(1000000, ";")
