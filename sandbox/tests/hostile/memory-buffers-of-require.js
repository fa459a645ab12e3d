// expect: memory, thrown, timed_out
const { Buffer } = require('buffer');
const all = [];
for (;;) all.push(Buffer.alloc(1e6, 1));
