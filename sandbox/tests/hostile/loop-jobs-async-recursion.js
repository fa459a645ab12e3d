// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
// why: each job queues the next before the stopped one rejects
const spin = async () => { await 0; return spin() }; await spin()
