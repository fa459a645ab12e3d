// expect: ok, timed_out, memory
const t = (x) => x;
@repeat(20000, "t`$n`;\n")
