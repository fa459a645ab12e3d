// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
const spin = () => Promise.reject(1).then(spin, spin).catch(spin); await spin()
