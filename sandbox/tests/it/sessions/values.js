return(new Map([['a', 1], ['b', { c: new Set([1, 'x']) }]]))
// ---- keys that are not strings
return new Map([[{ k: 1 }, 1], [[2], 2]])
// ---- keys that are equal as strings
return new Map([[1, 'number'], ['1', 'text']])
// ----
return { numbers: new Map([[2, 'two'], [1, 'one']]), set: new Set(), bytes: new Uint8Array([1, 255]), floats: new Float64Array([0.5, NaN]) }
// ----
return [NaN, Infinity, -Infinity, -0, 1e21, 5e-324]
// ----
return [1n, -9007199254740991n, 9007199254740992n, new BigInt64Array([1n, -9223372036854775808n])]
// ----
return { date: new Date(0), wrong: new Date(NaN), pattern: /a"b/gi, error: new RangeError('too far'), boxed: [new Number(NaN), Object(7n), new String('s')] }
// ----
return new Date(0)
// ----
return /x/y
// ----
return { buffer: new Uint8Array([7, 8]).buffer, view: new DataView(new Uint8Array([1, 2, 3]).buffer, 1) }
// ---- values that JSON cannot represent
return { a: () => 1 }
// ----
return [Symbol('s')]
// ----
return { deep: [new WeakMap()] }
// ----
return [new Map([[1, 2]]).entries()]
// ----
return [1, 2].values()
// ----
return (function* () { yield 1 })()
// ---- omitted, as in JSON
return { u: undefined, list: [undefined, , 1] }
// ---- a value that contains itself
const loop = new Map(); loop.set('self', loop); return loop
// ---- promises
return [Promise.resolve(1), { later: Promise.resolve(new Set([2])) }]
// ----
return Promise.resolve(Promise.resolve('two deep'))
// ----
return { fails: Promise.reject(new Error('no')) }
// ----
return [rlm('one'), llm('two')]
// ----
return { city: llm('where?') }
// ----
const calls = new Map([['a', llm('x')]]); return calls
// ----
return `The answer is ${llm('what?')}`
// ----
const found = []; ['a', 'b'].forEach(async (name) => { found.push(await llm(name)) }); return(found)
// ----
llm('forgotten'); return 'done'
// ----
const lost = llm('forgotten'); return 'done'
// ----
try { await llm('q', [llm('inner')]) } catch (error) { console.log(error.message) }
// ----
try { await llm('q', { f() {} }) } catch (error) { console.log(error.message) }
// ----
console.log(await llm('q', new Map([['k', [1n, NaN]]])))
// ----
