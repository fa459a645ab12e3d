// expect: memory, thrown
const buffers = [];
for (;;) buffers.push(new Uint8Array(1e6).fill(1));
