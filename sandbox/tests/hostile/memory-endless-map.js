// expect: memory, timed_out
// why: a map over items without an end ends as any endless list does
const endless = { *[Symbol.iterator]() { for (;;) yield 'x'.repeat(100); } };
await llm.map(endless, (item) => item);
