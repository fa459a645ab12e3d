// expect: memory, timed_out
const functions = [];
for (let i = 0; ; i++) functions.push(eval(`(function () { return [${'1,'.repeat(1000)}${i}] })`));
