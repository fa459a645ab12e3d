// expect: memory, timed_out
const expressions = [];
for (let i = 0; ; i++) expressions.push(new RegExp(`(a|b${i})`.repeat(200)));
