// expect: ok
for (const name of ['iterator', 'species', 'toPrimitive', 'hasInstance']) { try { Symbol[name] = Symbol('other'); } catch {} }
Symbol.for = () => { throw 1; };
