// expect: ok
// value: true
let thrown = 0; for (const key of [1, 'x', null, undefined, true, 1n, Symbol.iterator, Symbol.for('x')]) for (const use of [() => new WeakRef(key), () => new WeakMap([[key, 1]]), () => new WeakSet([key]), () => new FinalizationRegistry(() => {}).register(key)]) { try { use(); } catch { thrown++; } } return thrown > 23;
