// expect: memory
// why: each round awaits and keeps something; nothing waits for anything, so this is no endless chain
const filled = []
for (;;) { await 0; filled.push(new Array(100).fill(filled.length)) }
