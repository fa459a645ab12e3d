// expect: ok
// why: a settled promise of an earlier cell must not settle one of a later cell
await { then(resolve) { globalThis.keptResolve = resolve; resolve(1); } };
keptResolve(2);
