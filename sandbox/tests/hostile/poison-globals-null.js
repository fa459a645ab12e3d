// expect: ok, thrown
for (const name of Object.getOwnPropertyNames(globalThis)) { try { globalThis[name] = null; } catch {} }
