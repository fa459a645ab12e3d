// expect: ok, thrown, timed_out
// keeps: no
Object.setPrototypeOf(globalThis, new Proxy({}, { has() { for (;;) {} } }));
missing;
