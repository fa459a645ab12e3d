// expect: ok, thrown, timed_out
// value: true
const p = require('punycode'); const text = Array.from({ length: 3000 }, (_, i) => String.fromCodePoint(0x4e00 + (i * 7919) % 20000)).join('');
return p.decode(p.encode(text)) === text;
