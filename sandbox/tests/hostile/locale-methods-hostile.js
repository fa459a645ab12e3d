// expect: ok
// value: 11
let count = 0;
for (const use of [() => (5).toLocaleString({ length: 1, 0: 'en' }), () => 5n.toLocaleString('de', { minimumIntegerDigits: 1e9 }), () => new Date(NaN).toLocaleString(), () => [1, null, {}, [2]].toLocaleString(), () => 'a'.localeCompare(), () => 'a'.localeCompare(Symbol.iterator), () => ''.toLocaleUpperCase('tr'), () => Number.prototype.toLocaleString.call('x'), () => Date.prototype.toLocaleDateString.call({}), () => (1e308).toLocaleString('en', { maximumFractionDigits: 100 }), () => 'a'.repeat(1e5).localeCompare('a'.repeat(1e5) + 'b', 'en', { numeric: true, sensitivity: 'base' })]) { try { use(); } catch {} count++; }
return count;
