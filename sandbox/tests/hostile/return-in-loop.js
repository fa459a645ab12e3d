// expect: ok
// value: 3
for (let i = 0; ; i++) { if (i === 3) return i; }
