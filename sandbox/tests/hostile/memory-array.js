// expect: memory
const list = [];
for (;;) list.push({ x: 1, y: [1, 2, 3] });
