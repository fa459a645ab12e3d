// expect: ok, memory, thrown
// why: the maximum size of a buffer does not count as used memory
const all = [];
for (let i = 0; i < 2000; i++) all.push(new ArrayBuffer(0, { maxByteLength: 1 << 30 }));
all.forEach((buffer, i) => { if (i < 200) buffer.resize(1 << 20); });
return all.length;
