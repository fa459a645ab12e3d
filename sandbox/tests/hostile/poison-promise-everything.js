// expect: ok
for (const name of ['then', 'catch', 'finally']) Promise.prototype[name] = null;
for (const name of ['resolve', 'reject', 'all', 'race', 'any', 'allSettled', 'withResolvers']) Promise[name] = () => { throw 1; };
