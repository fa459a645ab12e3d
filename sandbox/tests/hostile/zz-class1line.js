// expect: ok
@repeat(5000, "class C$n{}")
