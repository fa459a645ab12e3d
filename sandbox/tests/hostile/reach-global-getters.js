// expect: ok
// why: names of the agent win over what others hang on globalThis
for (const name of ['console', 'rlm', 'context', '__rlm', 'setTimeout', 'require']) Object.defineProperty(globalThis, name, { get() { throw new Error('planted'); } });
console.log(typeof rlm, context, __rlm.depth);
