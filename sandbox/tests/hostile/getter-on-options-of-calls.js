// expect: ok, thrown
const options = { get systemPrompt() { delete options.systemPrompt; return { toString() { throw new Error('late'); } }; }, get model() { return options; }, get maxIterations() { return -1; } };
try { await rlm('q', { get a() { throw new Error('in the context'); } }, options); } catch (error) { console.log(error.message); }
try { await rlm('q', '', new Proxy({}, { ownKeys: () => { throw new Error('keys'); } })); } catch (error) { console.log(error.message); }
await llm({ toJSON() { return { toJSON() { return 'x'; } }; } });
