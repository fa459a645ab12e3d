// expect: ok
// value: undefined undefined undefined undefined undefined undefined undefined undefined
return [typeof __bootstrap, typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, typeof ShadowRealm, typeof gc, typeof std, typeof os].join(' ');
