// expect: ok
// value: undefined,undefined,false
return [typeof SharedArrayBuffer, typeof Atomics, Object.getOwnPropertyNames(new Uint8Array(1).buffer.constructor.prototype).includes('grow')].join();
