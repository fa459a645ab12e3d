// expect: ok
// value: nothing
// why: the library creates an error when a call fails
const found = [];
Error.prepareStackTrace = (_, sites) => { for (const site of sites ?? []) { const f = site.getFunction?.(); if (f) found.push(f.name || 'anonymous'); } return ''; };
for (const wrong of [() => rlm('q', '', { nonsense: 1 }), () => rlm('q', '', 5), () => setTimeout(5), () => require('fs'), () => new URL('::'), () => atob('*'), () => structuredClone(() => {})]) { try { (await wrong())?.stack; } catch (error) { error?.stack; } }
Error.prepareStackTrace = undefined;
return found.length === 0 ? 'nothing' : found.join();
