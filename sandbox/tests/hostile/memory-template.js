// expect: memory, thrown, timed_out
let text = 'x'.repeat(1000);
for (;;) text = `${text}${text}`;
