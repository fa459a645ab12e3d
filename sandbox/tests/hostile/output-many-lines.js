// expect: ok, timed_out
// output: line 0
for (let i = 0; i < 20_000; i++) console.log('line ' + i);
