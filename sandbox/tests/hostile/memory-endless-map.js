// expect: memory, timed_out
// why: a map over endless items ends like any endless list
const endless = { *[Symbol.iterator]() { for (;;) yield 'x'.repeat(100); } };
await llm.map(endless, (item) => item);
