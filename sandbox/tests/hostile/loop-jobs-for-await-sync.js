// expect: timed_out
function* all() { for (;;) yield Promise.resolve(1) }
for await (const one of all()) globalThis.last = one
