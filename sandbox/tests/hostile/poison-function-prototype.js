// expect: ok
for (const name of ['call', 'apply', 'bind', 'toString', Symbol.hasInstance]) { try { Function.prototype[name] = () => { throw new Error('patched'); }; } catch {} }
