// expect: ok
// value: 2
return@repeat(1, "\u00a0")1@repeat(1, "\u3000")+@repeat(1, "\u2003")1;
