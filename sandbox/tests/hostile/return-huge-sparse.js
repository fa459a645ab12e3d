// expect: ok, thrown, memory, timed_out, lost
const sparse = [];
sparse[2 ** 31] = 1;
return sparse;
