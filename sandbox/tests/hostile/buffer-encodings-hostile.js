// expect: ok
// value: 90
const b = Buffer.from('héllo'); let count = 0;
for (const encoding of ['hex', 'base64', 'base64url', 'utf16le', 'latin1', 'ascii', 'nope', '', null, {}, [], 'UTF8', 'Hex', Symbol.iterator, { toString() { throw 1; } }]) for (const use of [() => b.toString(encoding), () => Buffer.from('zz=é', encoding), () => b.write('xy', 0, 2, encoding), () => b.indexOf('l', 0, encoding), () => Buffer.byteLength('x', encoding), () => b.fill('ab', encoding)]) { try { use(); } catch {} count++; }
return count;
