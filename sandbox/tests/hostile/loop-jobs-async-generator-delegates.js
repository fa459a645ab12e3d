// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
async function* all() { yield 1; yield* all() }
for await (const one of all()) globalThis.last = one
