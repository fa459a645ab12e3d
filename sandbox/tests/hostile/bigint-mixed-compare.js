// expect: ok
// value: true
const odd = [1n, 2 ** 53, 2n ** 53n, NaN, -0, '1', null, Infinity, 2n ** 1024n, 1.5];
let sum = 0; for (const a of odd) for (const b of odd) sum += (a < b) + (a == b) + (a >= b);
odd.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
return sum > 50;
