// expect: ok
// value: done
// why: a thousand errors, each with the next as its cause or suppressed error
if (typeof DisposableStack !== 'function') return 'done';
const stack = new DisposableStack(); let depth = 0;
for (let i = 0; i < 1000; i++) stack.defer(() => { throw new Error(`d${i}`); });
stack.use({ get [Symbol.dispose]() { return () => { stack.dispose(); }; } });
try { stack.dispose(); } catch (error) { for (let e = error; e?.suppressed; e = e.suppressed) depth++; console.log(error); }
return 'done';
