// expect: ok, thrown
for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]; } catch {} }
