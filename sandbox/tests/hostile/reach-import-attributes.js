// expect: ok, thrown, never_settles
const load = new Function('name', 'options', 'return import(name, options)');
await load('x', { with: { get type() { throw new Error('attribute'); } } });
