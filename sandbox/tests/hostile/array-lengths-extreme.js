// expect: ok
// value: 64
// why: without elements, a huge length costs nothing where the method need not walk
let count = 0;
for (const length of [2 ** 53 - 1, 2 ** 32, 2 ** 32 - 1, -1, NaN, 1e300, '3', { valueOf: () => 2 }]) for (const method of ['at', 'push', 'pop', 'concat', 'slice', 'keys', 'entries', 'values']) { try { Array.prototype[method].call({ length }, 0, 1); } catch {} count++; }
return count;
