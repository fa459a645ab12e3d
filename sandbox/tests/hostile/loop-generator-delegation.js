// expect: timed_out
function* g() { for (;;) yield* [1, 2, 3]; }
for (const x of g());
