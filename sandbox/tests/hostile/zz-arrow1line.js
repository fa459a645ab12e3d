// expect: ok
@repeat(5000, "let f$n=()=>1;")
