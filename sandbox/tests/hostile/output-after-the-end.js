// expect: ok
// why: code that runs after the cell has ended does not print anywhere
(async () => { await null; await null; await null; console.log('late'); })() && void 0;
