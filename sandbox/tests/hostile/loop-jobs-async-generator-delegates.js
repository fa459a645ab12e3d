// expect: timed_out, memory
async function* all() { yield 1; yield* all() }
for await (const one of all()) globalThis.last = one
