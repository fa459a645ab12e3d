// expect: ok
// why: names of an agent take precedence over globals set by others
for (const name of ['console', 'rlm', 'context', '__rlm', 'setTimeout', 'require']) Object.defineProperty(globalThis, name, { get() { throw new Error('planted'); } });
console.log(typeof rlm, context, __rlm.depth);
