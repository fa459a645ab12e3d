// expect: ok, memory
// value: 49999 undefined
for (let i = 0; i < 50000; i++) globalThis[`name${i}`] = i;
const seen = name49999; for (let i = 0; i < 50000; i++) delete globalThis[`name${i}`];
return `${seen} ${typeof name49999}`;
