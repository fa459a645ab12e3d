// expect: memory
const filled = []
const next = async () => { await 0; return new Array(50).fill(filled.length) }
const worker = async () => { for (;;) filled.push(await next()) }
await Promise.all([worker(), worker(), worker(), worker()])
