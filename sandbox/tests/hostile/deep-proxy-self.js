// expect: thrown
// error: RangeError
const p = new Proxy({}, { get: (_, key, receiver) => receiver[key] });
p.x;
