// expect: ok
{@repeat(20000, "let v$n;\n")}
