// expect: ok
@repeat(5000, "function f$n(){}\n")
