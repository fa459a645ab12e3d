// expect: ok
Promise.prototype.constructor = { [Symbol.species]: function Evil() { throw new Error('species met'); } };
