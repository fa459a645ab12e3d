// expect: memory, thrown
// why: the next cell is small and must have enough memory
let big = 'x'.repeat(2 ** 27); big = big.toUpperCase() + 'y'; big.charCodeAt(5);
