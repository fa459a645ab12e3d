// expect: ok
// value: after
setTimeout(() => { throw new Proxy({}, { get() { throw new Error('again'); }, has() { throw 1; }, getPrototypeOf() { throw 2; } }); }, 0);
await new Promise((resolve) => setTimeout(resolve, 5));
return 'after';
