// expect: timed_out
const numbers = Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 300_007);
for (;;) numbers.sort((a, b) => a - b);
