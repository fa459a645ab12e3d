// expect: timed_out
// output: 0
for (let i = 0; ; i++) console.log(i);
