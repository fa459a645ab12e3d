// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
const spin = async () => { try { await 0 } finally { return spin() } }; await spin()
