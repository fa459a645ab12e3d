// expect: ok, memory, thrown
// value: true
// slow: yes
// why: transferred and resized buffers count as before
let buffer = new ArrayBuffer(1e6, { maxByteLength: 2e9 }); let grown = 0; const held = [];
try { for (let size = 1e7; size < 1.2e9; size += 1e7) { buffer.resize(size); new Uint8Array(buffer).fill(1, size - 1e7); grown = size; } } catch (error) { if (!(error instanceof RangeError)) throw error; }
try { for (let n = 0; n < 120; n++) { held.push(new ArrayBuffer(10).transfer(1e7)); new Uint8Array(held[n]).fill(1); grown += 1e7; } } catch (error) { if (!(error instanceof RangeError)) throw error; }
return(grown < 4e8);
