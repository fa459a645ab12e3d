// expect: timed_out, memory
const spin = async () => { await Promise.all([0, Promise.race([1, 2])]); return spin() }; await spin()
