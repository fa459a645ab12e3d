// expect: ok, thrown, timed_out
let o = {};
for (let i = 0; i < 200_000; i++) o = Object.create(o);
o.missing;
