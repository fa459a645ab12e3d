// expect: ok
Promise.prototype.constructor = { [Symbol.species]: function Evil(executor) { executor(() => { throw 1; }, () => { throw 2; }); globalThis.evil = true; } };
