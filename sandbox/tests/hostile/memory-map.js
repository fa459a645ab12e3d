// expect: memory, timed_out
const map = new Map();
for (let i = 0; ; i++) map.set('key ' + i, new Array(100).fill(i));
