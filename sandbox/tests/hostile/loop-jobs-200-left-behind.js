// expect: timed_out
const spin = async () => { for (;;) await 0 }
for (let i = 0; i < 200; i++) spin()
