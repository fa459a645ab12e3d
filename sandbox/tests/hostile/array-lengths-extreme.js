// expect: ok
// value: 64
// why: without elements, a huge length is cheap for methods that need not walk it
let count = 0;
for (const length of [2 ** 53 - 1, 2 ** 32, 2 ** 32 - 1, -1, NaN, 1e300, '3', { valueOf: () => 2 }]) for (const method of ['at', 'push', 'pop', 'concat', 'slice', 'keys', 'entries', 'values']) { try { Array.prototype[method].call({ length }, 0, 1); } catch {} count++; }
return count;
