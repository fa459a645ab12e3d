// expect: ok
for (const name of Object.getOwnPropertyNames(Array.prototype)) { if (name !== 'length' && name !== 'constructor') { try { Array.prototype[name] = () => { throw new Error('patched ' + name); }; } catch {} } }
Array.prototype[Symbol.iterator] = () => { throw new Error('patched iterator'); };
