// expect: ok
const t=(x)=>x;@repeat(5000, "t(1);")
