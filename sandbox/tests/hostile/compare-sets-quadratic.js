// expect: ok, timed_out
// why: each member is searched among all others
const { isDeepStrictEqual } = require('util');
const make = (n) => new Set(Array.from({ length: n }, (_, i) => ({ i: { i: { i } } })));
return isDeepStrictEqual(make(3000), new Set([...make(3000)].reverse()));
