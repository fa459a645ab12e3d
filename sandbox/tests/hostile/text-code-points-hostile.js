// expect: ok
// value: 9
let count = 0;
for (const point of [-1, 0x110000, 1.5, NaN, '65', Infinity, {}, null, 0xd800]) { try { String.fromCodePoint(point); } catch {} try { String.fromCharCode(point); } catch {} try { require('punycode').ucs2.encode([point]); } catch {} count++; }
return count;
