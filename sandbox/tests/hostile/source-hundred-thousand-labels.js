// expect: syntax, ok
@repeat(100000, "l$n:") ;
