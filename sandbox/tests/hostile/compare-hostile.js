// expect: ok, thrown
// value: 9
const { isDeepStrictEqual } = require('util'); const assert = require('assert'); let count = 0;
const ring = () => { const a = { m: new Map(), s: new Set() }; a.m.set(a, a); a.s.add(a); a.self = a; return a; };
const pairs = [[ring(), ring()], [new Set([[1], [2], [[3]]]), new Set([[[3]], [2], [1]])], [new Map([[{}, 1], [{}, 2]]), new Map([[{}, 2], [{}, 1]])], [new Proxy([], { get() { throw new Error('trap'); } }), []], [Object.create({ get x() { throw 1; } }), {}], [new Date(NaN), new Date(NaN)], [Object(1n), Object(1n)], [[, 1], [undefined, 1]], [new Uint8Array(1e5), Buffer.alloc(1e5)]];
for (const [a, b] of pairs) { try { isDeepStrictEqual(a, b); } catch {} try { assert.deepStrictEqual(a, b); } catch {} try { assert.notDeepEqual(a, b); } catch {} count++; }
return count;
