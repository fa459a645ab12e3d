// expect: ok
// value: 35
const odd = [{ size: NaN }, { size: 1, has: 5 }, { size: 1, has() { throw 1; }, keys() { return { next: 5 }; } }, { size: Infinity, has: () => true, keys: () => [][Symbol.iterator]() }, { get size() { set.clear(); return 2; }, has: () => false, keys: () => [1, 2][Symbol.iterator]() }]; const set = new Set([1, 2, 3]); let count = 0;
for (const other of odd) for (const name of ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']) { try { set[name]?.(other); } catch {} count++; }
return count;
