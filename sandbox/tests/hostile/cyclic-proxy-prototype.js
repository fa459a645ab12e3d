// expect: thrown, timed_out
const p = new Proxy({}, {});
Object.setPrototypeOf(p, p);
