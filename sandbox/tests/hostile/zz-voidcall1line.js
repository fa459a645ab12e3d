// expect: ok
const t=(x)=>x;@repeat(5000, "1,t(1);")
