// expect: memory, thrown, timed_out
let text = '';
for (;;) text = 'ab'.repeat(1000) + text;
