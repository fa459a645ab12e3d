// expect: thrown
// error: RangeError
const o = { get x() { return this.x; } };
o.x;
