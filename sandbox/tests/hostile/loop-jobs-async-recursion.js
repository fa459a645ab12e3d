// expect: timed_out, memory
// why: each job queues the next before the one that is stopped rejects; each promise waits for the next, so memory may run out first
const spin = async () => { await 0; return spin() }; await spin()
