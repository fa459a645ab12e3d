// expect: ok
for (const name of Object.getOwnPropertyNames(Object)) { if (!['prototype', 'length', 'name'].includes(name)) Object[name] = () => { throw new Error('patched ' + name); }; }
