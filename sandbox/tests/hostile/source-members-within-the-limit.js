// expect: ok
// value: true
return globalThis @repeat(2000, ".globalThis") === globalThis;
