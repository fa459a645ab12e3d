// expect: ok, memory, timed_out
// value: true
// why: many small buffers
let bytes = 0; const held = [];
try { while (bytes < 1.2e9) { held.push(new ArrayBuffer(4096)); new Uint8Array(held.at(-1))[0] = 1; bytes += 4096; } } catch (error) { if (!(error instanceof RangeError)) throw error; }
return(bytes < 2e8);
