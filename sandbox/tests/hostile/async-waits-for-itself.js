// expect: never_settles, thrown
const p = (async () => { await null; return p; })();
await p;
