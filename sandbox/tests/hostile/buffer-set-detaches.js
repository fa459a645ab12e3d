// expect: ok, thrown
const target = new Uint8Array(1000), source = { length: 1000, get 5() { structuredClone(target.buffer, { transfer: [target.buffer] }); return 1; } };
target.set(source);
console.log(target.length, target[0]);
