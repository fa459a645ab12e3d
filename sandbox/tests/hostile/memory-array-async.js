// expect: memory, timed_out
const list = [];
for (;;) { list.push(new Array(1000).fill(list.length)); if (list.length % 100 === 0) await null; }
