// expect: thrown, timed_out
// error: R*
let p = {};
for (let i = 0; i < 100_000; i++) p = new Proxy(p, {});
p.x;
