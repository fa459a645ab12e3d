// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
const spin = async () => { await Promise.all([0, Promise.race([1, 2])]); return spin() }; await spin()
