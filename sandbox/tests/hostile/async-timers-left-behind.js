// expect: ok
for (let i = 0; i < 5000; i++) setTimeout(() => { globalThis.fired = true; }, 1);
