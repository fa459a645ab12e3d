// expect: ok, thrown
// keeps: no
Object.setPrototypeOf(globalThis, new Proxy({}, { has: () => true, get: (_, key) => 'planted ' + String(key) }));
console.log(missing);
