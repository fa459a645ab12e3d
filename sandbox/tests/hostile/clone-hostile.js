// expect: ok
// value: 20
let count = 0; const ring = []; ring.push(ring, new Map([[ring, ring]]));
for (const value of [ring, new Proxy({}, { ownKeys() { throw 1; } }), { get a() { throw 1; } }, () => {}, Symbol('s'), new WeakMap(), Promise.resolve(), Object.create(null), new Error('x', { cause: ring }), new (class extends Map {})(), new Date(NaN), /x/y, new Array(5), Object(1n), [, 1], new DOMException('d', 'AbortError'), new Blob(['x']), globalThis, rlm, console]) { try { structuredClone(value); } catch {} count++; }
return count;
