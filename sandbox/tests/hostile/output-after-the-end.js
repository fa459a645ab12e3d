// expect: ok
// why: what still runs when the cell has ended prints nowhere
(async () => { await null; await null; await null; console.log('late'); })() && void 0;
