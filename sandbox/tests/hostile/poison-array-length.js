// expect: ok, thrown
Object.defineProperty(Array.prototype, 'length', { writable: false });
