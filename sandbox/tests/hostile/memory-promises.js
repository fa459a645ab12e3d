// expect: memory, timed_out
const waiting = [];
for (;;) waiting.push(new Promise(() => {}).then(() => new Array(100)));
