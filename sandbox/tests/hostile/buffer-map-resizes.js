// expect: ok, thrown
const buffer = new ArrayBuffer(64, { maxByteLength: 1 << 20 }); const array = new Uint8Array(buffer);
console.log(array.map((x, i) => { buffer.resize(i % 2 ? 1 << 20 : 1); return x; }).length);
array.fill({ valueOf() { buffer.resize(0); return 7; } });
array.copyWithin({ valueOf() { buffer.resize(1 << 16); return 0; } }, 1);
