// expect: timed_out
async function* all() { for (;;) yield 1 }
for await (const one of all()) globalThis.last = one
