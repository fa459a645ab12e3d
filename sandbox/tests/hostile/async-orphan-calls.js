// expect: unawaited, ok, thrown
// why: work that goes on without the cell may not call for it
const work = (async () => { for (let i = 0; i < 5; i++) await llm('orphan ' + i); })();
