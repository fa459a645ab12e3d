// expect: ok
const sparse = [];
sparse[3] = 1;
return sparse;
