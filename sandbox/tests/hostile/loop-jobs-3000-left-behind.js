// expect: timed_out
const spin = async () => { for (;;) await 0 }
for (let i = 0; i < 3000; i++) spin()
