// expect: ok
// value: 10 undefined
const qs = require('querystring'); let count = 0;
for (const text of ['__proto__=1&__proto__=2', 'constructor=x', '%', '%ff%fe', '&&&===', 'a'.repeat(1e5), '=&='.repeat(1e4), null, {}, 5]) { try { qs.parse(text); } catch {} try { qs.parse(text, text, text, { maxKeys: -1 }); } catch {} try { qs.stringify(qs.parse(text)); } catch {} count++; }
return `${count} ${({}).x}`;
