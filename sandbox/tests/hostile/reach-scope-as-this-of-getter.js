// expect: ok
// value: true
Object.defineProperty(globalThis, 'probed', { configurable: true, get() { return this === globalThis; } });
return probed;
