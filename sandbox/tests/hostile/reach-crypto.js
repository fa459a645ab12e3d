// expect: ok, thrown
const crypto = require('crypto');
for (const size of [-1, 1e12, NaN, {}]) { try { crypto.randomBytes(size); } catch {} }
crypto.createHash('sha256').update('x'.repeat(1e5)).digest('hex');
