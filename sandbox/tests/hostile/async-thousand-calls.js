// expect: thrown
// error: calls are pending
const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => llm('q' + i)));
