// expect: ok, memory
// value: true
// why: array buffers are not on the heap, and 1.2 GB are far above their limit
let bytes = 0; const held = [];
try { while (bytes < 1.2e9) { held.push(new Uint8Array(1e7).fill(1)); bytes += 1e7; } } catch (error) { if (!(error instanceof RangeError)) throw error; }
return(bytes < 2e8);
