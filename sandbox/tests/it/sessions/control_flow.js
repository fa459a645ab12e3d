const value = await Promise.resolve('awaited'); console.log(value);
// ---- for await, async generators
async function* count() { yield 1; yield 2 } for await (const n of count()) console.log(n);
// ---- a bare top-level call is awaited
async function slow() { await null; await null; done = 'finished' } slow(); console.log(done);
// ---- a bare method call is awaited, and its error fails the cell
const o = { async fail() { await null; throw new Error('from a bare call') } }; o.fail(); console.log('not reached');
// ---- automatic semicolon insertion
const n = 1
const list = [1, 2]
add
;[3].forEach((x) => list.push(x))
function add() {}
(() => list.push(4))()
console.log(list)
// ---- labels, switch, try/finally
outer: for (let i = 0; i < 3; i++) { for (;;) { if (i === 1) break outer; continue outer } }
switch (n) { case 1: console.log('one'); break; default: console.log('other') }
try { throw 1 } catch { console.log('caught') } finally { console.log('finally') }
// ---- regular expressions, templates, comments
const re = /[/`'"]+/g; console.log(`a${`b${n}`}c`.replace(re, ''), 6 / 2 / 3); // a comment at the end
// ---- strict mode
'use strict'; try { undeclaredInStrict = 1; console.log(undeclaredInStrict) } catch (e) { console.log(e.name) }
// ---- getters, private fields, static blocks
class Account { #sum = 1; static made = 0; static { Account.made = 5 } get sum() { return this.#sum } } console.log(new Account().sum, Account.made);
// ---- this
function self() { return this === undefined || this === globalThis } console.log(self(), this === globalThis);
// ---- return ends the cell
console.log('before'); if (n === 1) { return(n + 1) } console.log('after');
// ---- return in a nested function ends only that function
const inner = () => { return 'inner' }; console.log(inner());
// ---- returned values: strings, objects, arrays, numbers, nothing, dates, nested
return('text')
// ----
return { a: [1, { b: null }], u: undefined }
// ----
return [[1, 2], [3, 4]]
// ----
return 3.5
// ----
return
// ----
return null
// ----
return Promise.resolve('awaited answer')
// ----
return 10n
// ----
return Symbol('s')
// ---- a value that JSON cannot represent is an error, and the agent continues
const ring = {}; ring.ring = ring; return ring
// ----
return { big: 1n }
// ----
console.log(typeof ring);
// ---- eval and Function see only the global object
globalThis.g = 7; const local = 8; console.log(eval('g'), new Function('return typeof local')(), eval('typeof local'));
// ---- printing a function shows its source
const twice = (x) => n + list.map((y) => inner(y)).length; console.log(String(twice)); console.log(self.toString());
