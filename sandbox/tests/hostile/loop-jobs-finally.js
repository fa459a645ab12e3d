// expect: timed_out, memory
const spin = async () => { try { await 0 } finally { return spin() } }; await spin()
