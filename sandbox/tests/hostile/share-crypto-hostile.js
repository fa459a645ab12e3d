// expect: ok
// value: 13
let count = 0; const c = require('crypto');
for (const use of [() => crypto.getRandomValues(new Float32Array(1)), () => crypto.getRandomValues(new Uint8Array(1e6)), () => crypto.getRandomValues({}), () => crypto.subtle.digest('SHA-256', 'text'), () => crypto.subtle.digest({ get name() { throw 1; } }, new Uint8Array(1)), () => c.createHmac('sha256', null), () => c.createHmac('sha256', 'k'.repeat(1e6)).update('x').digest('hex'), () => c.randomInt(5, 1), () => c.randomBytes(-1), () => c.createHash('sha256').update({}), () => c.createHash(Symbol.iterator), () => c.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)), () => c.createHash('md5').digest('nope')]) { try { await use(); } catch {} count++; }
return count;
