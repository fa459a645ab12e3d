// expect: never_settles
// on-v8: ok; async generators after `return()`
const g = (async function* () { for (let i = 0; ; i++) yield i; })();
await g.next();
const all = [];
all.push(g.return('end'), g.next(), g.throw(new Error('late')).catch((error) => ({ value: error.message })));
const got = await Promise.all(all);
return got.slice(-4).map((x) => x.value).join();
