// expect: timed_out, memory, thrown
const [first, ...rest] = { *[Symbol.iterator]() { for (let i = 0; ; i++) yield { i }; } };
