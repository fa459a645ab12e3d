// expect: ok, timed_out
for (let i = 0; i < 2000; i++) console.error(new Error('e'.repeat(1000)));
