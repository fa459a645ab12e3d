// expect: ok
for (const name of Object.getOwnPropertyNames(Date.prototype)) Date.prototype[name] = () => { throw 1; };
for (const name of Object.getOwnPropertyNames(Math)) { try { Math[name] = () => { throw 1; }; } catch {} }
Date.now = null;
