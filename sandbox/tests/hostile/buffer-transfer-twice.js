// expect: ok
// value: 7
const buffer = new ArrayBuffer(8); const ends = [];
for (const transfer of [[buffer, buffer], [buffer], [buffer], [{}], 'text', { length: 1, 0: buffer }, new Set([new ArrayBuffer(1)])]) { try { structuredClone({ buffer }, { transfer }); ends.push('ok'); } catch (error) { ends.push(error.name); } }
return ends.length;
