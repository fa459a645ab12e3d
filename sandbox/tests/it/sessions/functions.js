// functions: search_docs page.open page.close fail never
console.log(await search_docs({ query: 'what', limit: 3 }), await page.open({ url: 'x' }), await search_docs());
// ---- printed host functions
console.log(search_docs, page, typeof search_docs, search_docs.name, Object.isFrozen(page), Object.isFrozen(page.open));
// ---- an error is an Error
try { await fail({}) } catch (error) { console.log(error instanceof Error, error.message) }
// ----
await fail({})
// ---- in parallel, with rlm()
console.log(await Promise.all([page.close({ n: 1 }), rlm('a question'), search_docs({ n: 2 })]));
// ---- a bare call at the top level is awaited
search_docs({ query: 'bare' })
// ---- an unawaited call
const lost = page.open({ url: 'lost' }); console.log('went on');
// ----
void never({}); void search_docs({}); console.log('went on');
// ---- together with an rlm() call
void rlm('a'); void search_docs({});
// ---- invalid arguments
for (const wrong of [['x'], [1], [null], [[1]], [() => 1], [{}, {}], [{ toJSON: () => 'x' }], [{ toJSON: () => undefined }], [{ n: 1n }]]) {
  try { await search_docs(...wrong) } catch (error) { console.log(`${error}`) }
}
const cyclic = {}; cyclic.self = cyclic; try { await search_docs(cyclic) } catch (error) { console.log(error.name) }
try { await search_docs({ get query() { throw new RangeError('mine') } }) } catch (error) { console.log(`${error}`) }
// ---- lone surrogates, and values that JSON omits
console.log(await search_docs({ half: '\ud83d', pair: '\ud83d\ude00', text: '\\ud83d', nothing: undefined, nan: NaN, date: new Date(0) }));
// ---- a cell may reuse the names, with no other effect
const search_docs = 'mine'; page.open = 1; delete page.close; console.log(search_docs, typeof page.open, typeof page.close);
// ---- strict code gets an error
"use strict"; try { page.open = 1 } catch (error) { console.log(error.name) }
// ---- code cannot mark a promise as awaited
const promise = fail({}); console.log(promise instanceof Promise, Object.keys(promise)); await promise.catch((error) => console.log('caught', error.message));
// ---- a call that is never answered does not block others, and ends with its cell
void never({}).then(() => console.log('never')); return 'done'
