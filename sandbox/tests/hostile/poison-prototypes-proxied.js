// expect: ok, thrown, timed_out
// keeps: no
const spin = () => { for (;;) {} };
for (const Type of [Array, Function, Promise, Map]) { try { Object.setPrototypeOf(Type.prototype, new Proxy({}, { get: spin, set: spin, has: spin })); } catch {} }
