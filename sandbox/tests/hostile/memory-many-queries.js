// expect: memory, timed_out, thrown, unawaited
const long = 'x'.repeat(1e6);
for (let i = 0; ; i++) llm(long + i);
