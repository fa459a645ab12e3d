// expect: ok, thrown
Object.freeze(globalThis);
