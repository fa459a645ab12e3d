// expect: ok, thrown, never_settles
const load = new Function('name', 'return import(name)');
for (const name of [Symbol('x'), { toString() { throw 1; } }, '\0', '', '\ud800', 'x'.repeat(1e6)]) { try { load(name).catch(() => {}); } catch {} }
