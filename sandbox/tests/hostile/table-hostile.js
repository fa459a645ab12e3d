// expect: ok
// value: 8
let count = 0;
for (const data of [Array(1e5), { length: 1e9 }, new Proxy([[1]], { ownKeys: () => { throw 1; } }), [new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, get: () => { throw 1; } }) })], Array.from({ length: 300 }, (_, i) => ({ ['c' + i]: 1 })), [[['x'.repeat(1e5)]]], [{ '\u202e': '\x1b[2J' }], new Map([[Symbol('k'), 1]])]) { try { console.table(data, data); } catch {} try { console.table(data); } catch {} count++; }
return count;
