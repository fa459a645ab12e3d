// expect: memory, thrown, lost
const buffer = new ArrayBuffer(1, { maxByteLength: 3e9 });
buffer.resize(2e9);
new Uint8Array(buffer).fill(1);
