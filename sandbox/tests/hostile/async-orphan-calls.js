// expect: unawaited, ok, thrown
// why: work that outlives the cell cannot make calls on its behalf
const work = (async () => { for (let i = 0; i < 5; i++) await llm('orphan ' + i); })();
