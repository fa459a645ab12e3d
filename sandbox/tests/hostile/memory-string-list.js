// expect: memory, thrown
// slow: yes
const texts = [];
for (let i = 0; ; i++) texts.push('x'.repeat(100_000) + i);
