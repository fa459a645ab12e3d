// expect: memory
// keeps: no
// why: what hangs on globalThis is not dropped with the names of the cell
globalThis.leak = [];
for (;;) leak.push({ x: 1, y: [1, 2, 3] });
