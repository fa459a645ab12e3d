// expect: ok
// value: kept
Object.prototype[Symbol.unscopables] = { kept: true };
globalThis[Symbol.unscopables] = { kept: true };
const seen = kept;
delete Object.prototype[Symbol.unscopables];
return seen;
