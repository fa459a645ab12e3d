// expect: ok
// output: Uncaught (in promise)
for (let i = 0; i < 10_000; i++) Promise.reject(i);
