// expect: ok
// value: 8
const b = Buffer.alloc(8); let count = 0;
const odd = [NaN, -0, Infinity, 2 ** 53, '1', null, undefined, {}, [], () => 1, 1.5, -1, 9, { valueOf() { throw new Error('no'); } }];
for (const name of Object.getOwnPropertyNames(Buffer.prototype).filter((n) => /^(read|write)[A-Z]/.test(n))) for (const x of odd) for (const y of [0, x]) { try { b[name](x, y, 3); } catch {} try { b[name](y, x); } catch {} count++; }
return count > 500 && b.length;
