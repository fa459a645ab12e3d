// expect: ok, timed_out
// why: a list of half a million links is freed one by one, not by recursion
let link = null;
for (let i = 0; i < 500_000; i++) link = { link };
link = null;
