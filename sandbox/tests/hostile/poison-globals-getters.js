// expect: ok, thrown
for (const name of Object.getOwnPropertyNames(globalThis)) { try { Object.defineProperty(globalThis, name, { get() { throw new Error('a getter met'); } }); } catch {} }
