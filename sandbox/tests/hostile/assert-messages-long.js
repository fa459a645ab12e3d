// expect: ok
// value: 3
// why: creating the message of a failed comparison must be limited work
const assert = require('assert'); let lengths = 0;
for (const [a, b] of [['x'.repeat(1e6), 'y'.repeat(1e6)], [Array(1e5).fill(1), Array(1e5).fill(2)], [{ a: 'z'.repeat(1e5) }, {}]]) { try { assert.deepStrictEqual(a, b); } catch (error) { lengths += error.message.length > 0; } }
return lengths;
