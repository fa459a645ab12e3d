// expect: ok
// value: 6
Array.prototype[3] = 'inherited'; Object.prototype[4] = 'deeper';
try { const holes = [1, , , , , 6]; console.log(holes.indexOf('inherited'), holes.map((x) => x), holes.join(), [...holes], JSON.stringify(holes), holes.sort(), structuredClone(holes)); console.table([holes]); return holes.length; }
finally { delete Array.prototype[3]; delete Object.prototype[4]; }
