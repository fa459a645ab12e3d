// expect: thrown
// error: RangeError
const o = { toString() { return '' + this; } };
'' + o;
