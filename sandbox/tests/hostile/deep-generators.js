// expect: thrown, timed_out
// error: R*
function* g(n) { yield* g(n + 1); }
g(0).next();
