// expect: memory, thrown, timed_out, ok
// why: the next cell is small and must have enough memory
let big = 1n << (2n ** 29n); big += 1n; big.toString(16).length;
