// expect: ok
// value: 19
const { inspect } = require('util'); const value = { a: { b: [1, new Map([[{}, new Set([1])]])] } }; let count = 0;
for (const options of [{ depth: -1 }, { depth: NaN }, { depth: 1e308 }, { maxArrayLength: -5 }, { maxStringLength: -1 }, { breakLength: -1 }, { breakLength: NaN }, { compact: -3 }, { compact: 1e9 }, { sorted: () => { throw 1; } }, { getters: 'x' }, { colors: {} }, { stylize: 5 }, new Proxy({}, { get() { throw 1; } }), { customInspect: null }, { numericSeparator: [] }, null, 5, 'text']) { try { inspect(value, options); } catch {} count++; }
return count;
