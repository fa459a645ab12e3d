// expect: thrown
// error: TypeError
let resolve;
const p = new Promise((r) => { resolve = r; });
resolve(p);
await p;
