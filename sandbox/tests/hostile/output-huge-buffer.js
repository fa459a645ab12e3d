// expect: ok
console.log(new Uint8Array(5e6), new ArrayBuffer(5e6), require('buffer').Buffer.alloc(1e6));
