// expect: ok
// slow: yes
@repeat(1000000, ";")
