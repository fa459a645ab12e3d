// expect: timed_out, memory
const spin = async () => { await 0; return spin() }
for (let i = 0; i < 3000; i++) spin()
