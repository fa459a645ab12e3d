// expect: timed_out
// on-v8: timed_out, memory; chains of promises in which each waits for the next
const grow = () => { Promise.resolve().then(grow); Promise.resolve().then(grow) }; grow()
