// expect: syntax
@repeat(100000, "l$n:") ;
