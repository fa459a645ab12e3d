// expect: ok, thrown
const buffer = new ArrayBuffer(8, { maxByteLength: 1024 });
const view = new Uint8Array(buffer);
const decode = (bytes) => { try { return new TextDecoder().decode(bytes); } catch (error) { return error.name; } };
decode(view);
buffer.resize(0);
decode(view);
buffer.resize(1024);
decode(view);
const moved = buffer.transfer(16);
console.log(decode(view), decode(moved).length, decode(new DataView(new ArrayBuffer(4), 1, 2)).length, decode(5), decode({ byteLength: 1e9, buffer: null }));
