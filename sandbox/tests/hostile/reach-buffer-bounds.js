// expect: ok, thrown
const { Buffer } = require('buffer');
const b = Buffer.alloc(8);
for (const offset of [-1, 8, 1e9, NaN, Infinity, '0', {}, 2 ** 32]) { for (const name of ['readUInt32LE', 'readDoubleBE', 'readBigInt64LE', 'writeInt8']) { try { b[name](offset, offset); } catch {} } }
try { Buffer.alloc(2 ** 40); } catch {}
try { b.fill('', 0, 1e12); } catch {}
try { b.toString('hex', -5, 1e12); } catch {}
console.log(b.length);
