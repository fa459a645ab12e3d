// expect: ok, timed_out
console.log('%s'.repeat(100_000), ...new Array(10_000).fill('x'));
