// expect: ok, thrown, timed_out
// on-v8: ok, thrown, timed_out, memory; memory of deep objects
let o = {};
for (let i = 0; i < 200_000; i++) o = Object.create(o);
o.missing;
