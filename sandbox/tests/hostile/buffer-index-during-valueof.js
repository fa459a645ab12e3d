// expect: ok, thrown
const buffer = new ArrayBuffer(16, { maxByteLength: 64 }), bytes = new Uint8Array(buffer);
for (const method of ['indexOf', 'lastIndexOf', 'includes']) bytes[method](0, { valueOf() { buffer.resize(method.length % 3); return 0; } });
bytes[{ toString() { buffer.resize(0); return '3'; } }] = 9;
bytes.with?.(0, { valueOf() { buffer.resize(0); return 1; } });
