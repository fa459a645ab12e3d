// expect: thrown, ok, timed_out
let one = {}, two = {};
for (let i = 0; i < 50_000; i++) { one = { one }; two = { one: two }; }
require('assert').deepStrictEqual(one, two);
