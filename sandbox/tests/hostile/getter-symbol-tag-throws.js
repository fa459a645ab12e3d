// expect: ok
// value: done
const odd = { get [Symbol.toStringTag]() { throw new Error('tag'); } };
const nulls = Object.create(null, { [Symbol.toStringTag]: { get() { return 5; } } });
for (const use of [() => console.log(odd), () => console.log(nulls), () => String(odd), () => console.table([odd]), () => Object.prototype.toString.call(odd)]) { try { use(); } catch {} }
return 'done';
