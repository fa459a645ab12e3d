// expect: memory
// keeps: no
// why: globals are not dropped with the names of the cell
globalThis.leak = [];
for (;;) leak.push({ x: 1, y: [1, 2, 3] });
