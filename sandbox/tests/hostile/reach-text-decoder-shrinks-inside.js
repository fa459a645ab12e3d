// expect: ok, thrown
const buffer = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 16 });
const view = new Uint8Array(buffer);
new TextDecoder({ get fatal() { buffer.resize(1); return true; } }).decode(view);
const { Buffer } = require('buffer');
Buffer.from(view).toString({ toString() { buffer.resize(0); return 'utf8'; } });
