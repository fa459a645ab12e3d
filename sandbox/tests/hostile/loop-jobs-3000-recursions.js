// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
const spin = async () => { await 0; return spin() }
for (let i = 0; i < 3000; i++) spin()
