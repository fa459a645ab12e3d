// expect: timed_out, memory
const spin = () => Promise.resolve().then(spin); await spin()
