// expect: ok
for (const name of ['toString', 'valueOf', 'hasOwnProperty', 'propertyIsEnumerable', 'isPrototypeOf', 'toLocaleString', '__defineGetter__', '__lookupGetter__']) Object.prototype[name] = () => { throw new Error('patched ' + name); };
