// expect: memory, thrown, lost
new Uint8Array(2e9).fill(1).length;
