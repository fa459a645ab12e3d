// expect: ok
Promise.prototype.then = () => { throw new Error('patched'); };
