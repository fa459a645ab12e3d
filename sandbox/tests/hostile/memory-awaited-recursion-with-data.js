// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
// why: whatever else it keeps, it is a chain without an end
const descend = async (n) => { const own = [n]; await 0; const below = await descend(n + 1); return own.concat(below) }
await descend(0)
