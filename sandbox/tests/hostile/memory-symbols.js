// expect: memory, timed_out
const symbols = [];
for (let i = 0; ; i++) symbols.push(Symbol.for('symbol '.repeat(100) + i));
