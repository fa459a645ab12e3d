// expect: ok, timed_out, memory
for (let i = 0; i < 20_000; i++) { console.count('label ' + i); console.time('timer ' + i); }
