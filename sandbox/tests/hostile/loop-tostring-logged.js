// expect: timed_out
console.log('%s', { toString() { for (;;) {} } });
console.log(`${{ toString() { for (;;) {} } }}`);
