// expect: ok
// value: 35
// why: a pattern that is recompiled while it matches
const re = /a/gy; let count = 0;
for (const lastIndex of [-1, NaN, Infinity, 2 ** 53, '1', { valueOf() { re.compile?.('b', 'g'); return 0; } }, Symbol.iterator]) for (const use of [() => re.exec('aaa'), () => 'aaa'.replace(re, 'b'), () => 'aaa'.match(re), () => re.test('a'), () => 'aa'.split(re)]) { try { re.lastIndex = lastIndex; use(); } catch {} count++; }
return count;
