// expect: memory, thrown, timed_out
let text = '';
for (;;) text += '0123456789abcdef'.repeat(1000);
