// expect: memory, timed_out
const set = new Set();
for (let i = 0; ; i++) set.add('item '.repeat(100) + i);
