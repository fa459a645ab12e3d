// expect: ok
for (const name of Object.getOwnPropertyNames(String.prototype)) { if (!['length', 'constructor'].includes(name)) { try { String.prototype[name] = () => { throw new Error('patched ' + name); }; } catch {} } }
String.prototype[Symbol.iterator] = () => { throw 1; };
