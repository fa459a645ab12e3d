// expect: memory
// why: each round awaits and keeps a value, but no promise waits for another, so this is not an endless chain
const filled = []
for (;;) { await 0; filled.push(new Array(100).fill(filled.length)) }
