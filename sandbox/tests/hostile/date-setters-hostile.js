// expect: ok
// value: true
const date = new Date(0); let count = 0;
for (const name of Object.getOwnPropertyNames(Date.prototype).filter((n) => n.startsWith('set'))) for (const value of [NaN, Infinity, -Infinity, 1e300, -8.64e15, 2 ** 53, '5', null, undefined, {}, 1n, Symbol.iterator, { valueOf() { date.setTime(NaN); return 5; } }]) { try { date[name](value, value, value); } catch {} count++; if (isNaN(date)) date.setTime(0); }
return count > 150 && date.getTime() >= -8.64e15;
