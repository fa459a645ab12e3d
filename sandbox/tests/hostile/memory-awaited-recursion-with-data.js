// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
// why: it is an endless chain, whatever else it keeps
const descend = async (n) => { const own = [n]; await 0; const below = await descend(n + 1); return own.concat(below) }
await descend(0)
