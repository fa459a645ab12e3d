// expect: ok
// value: 5000
// why: no comparator may make a sort lose elements
let seed = 1; const array = Array.from({ length: 5000 }, (_, i) => i);
for (const compare of [() => (seed = (seed * 48271) % 2147483647) % 3 - 1, () => NaN, () => ({}), () => 1n < 2, () => -1, () => 1, () => Infinity]) { try { array.sort(compare); } catch {} }
return new Set(array).size;
