// expect: memory, timed_out
const object = {};
for (let i = 0; ; i++) object['name '.repeat(100) + i] = i;
