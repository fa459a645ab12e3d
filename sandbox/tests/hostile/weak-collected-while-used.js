// expect: ok, memory
// value: true
// why: keys that reference their map, and finalizers that throw
const refs = [], map = new WeakMap(), registry = new FinalizationRegistry(() => { throw new Error('in a finalizer'); });
for (let i = 0; i < 20000; i++) { const key = { big: new Array(50).fill(i) }; map.set(key, { key, map }); refs.push(new WeakRef(key)); registry.register(key, i, key); if (i % 2) registry.unregister(key); }
await new Promise((resolve) => setTimeout(resolve, 1));
return refs.filter((ref) => ref.deref()?.big.length === 50).length >= 0;
