// expect: ok
// value: true
let length = 0;
for (const n of [5e-324, 1.7976931348623157e308, -0, NaN, 1e21, 123456789.123456789]) for (const digits of [0, 1, 50, 100]) for (const f of ['toFixed', 'toPrecision', 'toExponential']) { try { length += n[f](digits).length; } catch {} }
for (let radix = 2; radix <= 36; radix++) length += (5e-324).toString(radix).length + Number.MAX_VALUE.toString(radix).length;
return length > 5000;
