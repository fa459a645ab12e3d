missing.property
// ----
undefined.property
// ----
let u; u.property = 1
// ----
const notAFunction = 1; notAFunction()
// ----
function outer() { return deep() } function deep() { throw new TypeError('deep') }
outer()
// ---- thrown values that are not errors
throw 'a string'
// ----
throw { code: 1, message: 'looks like one' }
// ----
throw { plain: [1, 2] }
// ----
throw null
// ----
throw undefined
// ----
throw Symbol('thrown')
// ----
throw new Proxy({}, { get() { throw 1 } })
// ----
throw Object.assign(new Error('with more'), { code: 'E_CODE' })
// ----
class Custom extends Error { constructor(m) { super(m); this.name = 'Custom' } } throw new Custom('made here')
// ---- syntax errors name line and column in the cell's text
let ok = 1;
let é = 2; let broken = ;
// ----
if (true) {
// ----
return 'unterminated
// ----
await (async () => { await null; throw new Error('async') })()
// ---- redeclared in one cell
let twice = 1; let twice = 2;
// ---- outside a function or loop
break
// ---- reserved
console.log(__repl_scope)
// ---- an unhandled rejection is reported
const floating = Promise.reject(new Error('nobody looks')); console.log('end');
// ---- a handled rejection is not
const handled = Promise.reject(new Error('x')).catch(() => 'caught'); console.log(await handled);
// ---- imports
await import('fs')
// ---- imports in code created at run time
try { await new Function('return import("fs")')() } catch (e) { console.log(String(e)) }
// ---- a microtask that throws does not affect others
queueMicrotask(() => { console.log('in it'); throw new Error('lost') }); await null; await null; console.log('after it');
// ---- a stack shows only the model's own code
class Kept { made() { return new Error('kept').stack } } console.log(new Kept().made());
try { new URL('none') } catch (e) { console.log(e.stack) }
try { structuredClone(() => 1) } catch (e) { console.log(e.stack.split('\n').length) }
setTimeout(() => console.log(new Error('later').stack), 1); await new Promise((done) => setTimeout(done, 5));
// ---- or the result of the model's own hook
Error.prepareStackTrace = (error, sites) => sites.map((site) => `${site.getFunctionName()} ${site.getLineNumber()}`);
const sites = (function named() { return new Error('mine').stack })(); delete Error.prepareStackTrace; console.log(sites);
// ---- an unhandled rejection with a value that is not an error
void Promise.reject('a string'); await null;
// ---- the state is intact after all this
console.log(ok ?? 'never assigned', u);
// ---- assignments in strict code do not create names
"use strict"; declared = 1
// ----
let declared = 1; class Strict { method() { undeclared = 1 } good() { declared = 2; return declared } }
console.log(new Strict().good()); try { new Strict().method() } catch (e) { console.log(e.message) } console.log(typeof undeclared);
// ---- an unmatched closing brace
let before = 1
}
// ---- names of other harnesses
answer["content"] = 1
// ----
answer = { content: 'x', ready: true }
// ----
FINAL("x")
// ----
FINAL_VAR(x)
// ----
SUBMIT(1)
// ----
await llm_query('q')
// ----
await rlm_query('q')
// ----
print(1)
// ---- Python
def f(x):
    return x
// ----
import json
print(len(context))
// ----
for line in lines:
    print(line)
// ---- broken JavaScript is not Python
if (x) { console.log('else:'
