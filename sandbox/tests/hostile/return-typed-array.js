// expect: ok
return new Uint8Array(3);
