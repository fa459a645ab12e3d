// expect: ok, thrown
const buffer = new ArrayBuffer(8);
const view = new Uint8Array(buffer);
structuredClone(buffer);
buffer.transfer();
console.log(view, buffer);
return view;
