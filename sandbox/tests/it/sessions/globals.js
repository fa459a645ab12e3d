console.log(typeof process, typeof Deno, typeof require, typeof fetch, typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, typeof __bootstrap, typeof gc);
// ----
console.log(Object.getOwnPropertyNames(globalThis).filter((name) => /v8x|deno|op_|quick/i.test(name)));
// ----
process.env
// ---- timers
const order = []; setTimeout(() => order.push('late'), 20); setTimeout(() => order.push('soon'), 1); await new Promise((r) => setTimeout(r, 40)); console.log(order.length);
// ----
let ticks = 0; await new Promise((done) => { const timer = setInterval(() => { if (++ticks < 3) return; clearInterval(timer); setTimeout(done, 10) }, 1) }); console.log(ticks);
// ---- a timer that throws
setTimeout(() => { throw new Error('in a timer') }, 1); await new Promise((r) => setTimeout(r, 10)); console.log('after');
// ---- a timer ends with its cell
setTimeout(() => console.log('never'), 5);
// ----
await new Promise((r) => setTimeout(r, 20)); console.log('quiet');
// ---- the agent's own identity
console.log(__rlm.depth, __rlm.maxDepth, __rlm.invocationId, __rlm.parentId, __rlm.lineage, Object.isFrozen(__rlm)); __rlm.depth = 9; console.log(__rlm.depth);
// ----
console.log(__ctx.shared.data === context, Object.isFrozen(__ctx.shared)); __ctx.local.note = 'mine'; console.log(__ctx.local, __ctx.readLocal('root'), __ctx.readLocal('nobody'));
// ---- modules
const path = require('path'), { format } = require('node:util'); console.log(path.join('a', '..', 'b.txt'), format('%s-%d', 'x', 5));
// ----
require('fs')
// ---- members that modules lack name an alternative
for (const use of [() => require('crypto').pbkdf2Sync('a', 'b', 1, 1, 'sha1'), () => new (require('util').MIMEType)('a/b')]) { try { use(); } catch (e) { console.log(e.message); } } console.log(Object.keys(require('crypto')).includes('pbkdf2Sync'));
// ----
console.log(new URL('../b?x=1#h', 'https://user@example.com:8080/a/c').href, new URLSearchParams('a=1&b=2').get('b'), structuredClone({ a: [new Date(0)] }), btoa('hi'), atob('aGk='), new TextDecoder().decode(new TextEncoder().encode('żółć')));
// ---- calls that do not settle
await new Promise(() => {})
// ----
const pending = rlm('never awaited'); console.log('x');
// ----
rlm('bare, so awaited');
// ----
console.log(await rlm('q', { any: 'value' }), await llm('one'), rlm('p') instanceof Promise);
// ----
console.log((await Promise.allSettled([rlm('q', '', { bad: 1 }), llm('q', '', { systemPrompt: 'no' }), rlm('q', '', 5)])).map((r) => r.reason.message));
// ---- a call is a promise
const asked = rlm('a question'); console.log(asked, asked instanceof Promise); await asked; console.log(asked);
// ---- a lone surrogate is one character for the host
console.log((await rlm('half \ud83d!')).length); throw new Error('\ud83d|');
// ----
return 'x\udc00y'
// ---- deleted globals are gone
globalThis.mine = 1; alone = 2; console.log(delete globalThis.mine, typeof mine, delete globalThis.alone, typeof alone);
// ---- declared names are not properties of the global object
let declared = 3; delete globalThis.declared; console.log(declared);
// ---- defaults of inspection
const util = require('util'); const before = util.inspect.defaultOptions.depth; util.inspect.defaultOptions = { depth: 0 }; console.log({ a: { b: 1 } }); util.inspect.defaultOptions.depth = before; console.log({ a: { b: 1 } });
// ----
require('util').inspect.defaultOptions = 5
// ---- no engine internals
console.log(Object.getOwnPropertySymbols(globalThis).map(String), typeof Temporal, 'toTemporalInstant' in new Date());
// ---- missing newer features name an alternative
Temporal.Now.instant()
// ---- the global object
globalThis.shown = { by: 'me' }; console.log(globalThis); delete globalThis.shown;
