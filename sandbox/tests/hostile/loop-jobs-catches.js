// expect: timed_out, memory
const spin = () => Promise.reject(1).then(spin, spin).catch(spin); await spin()
