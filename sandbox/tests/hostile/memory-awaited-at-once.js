// expect: memory
// why: thousands of concurrent calls finish, and the values that they keep fill the heap
await 0
const items = Array.from({ length: 20_000 }, (_, i) => i)
const filled = await Promise.all(items.map(async (i) => { await 0; await 0; return new Array(2_000).fill(i) }))
return filled.length
