// expect: ok
// value: 20
let count = 0;
for (const text of ['', ' ', '0x', '1n', '--1', '1e5', '0b2', '\u00a05', '1_000', 'Infinity', {}, [], [5], null, true, 1.5, NaN, Symbol.iterator, { valueOf: () => 7n }, { [Symbol.toPrimitive]: () => { throw 1; } }]) { try { BigInt(text); } catch {} count++; }
return count;
