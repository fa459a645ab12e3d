// expect: memory
const list = [];
for (;;) { try { for (;;) list.push({ x: 1 }); } catch (error) { list.push(error); } }
