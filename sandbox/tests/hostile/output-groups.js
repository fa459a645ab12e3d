// expect: ok, timed_out
for (let i = 0; i < 100_000; i++) console.group();
console.log('inside');
