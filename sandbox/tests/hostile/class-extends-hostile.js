// expect: ok
// value: 12
let count = 0;
for (const base of [null, 5, {}, () => {}, async () => {}, function* () {}, new Proxy(class {}, { get() { throw new Error('get'); } }), Object.assign(function () {}, { prototype: 5 }), Symbol, Proxy, Math.max, Object.freeze(class {})]) { try { new (class extends base {})(); } catch {} count++; }
return count;
