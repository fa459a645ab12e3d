// expect: thrown
// on-v8: ok; deep JSON
// error: RangeError
// slow: yes
let nested = {};
for (let i = 0; i < 50_000; i++) nested = { nested };
JSON.stringify(nested);
