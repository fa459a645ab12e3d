// expect: ok
// value: nothing
const found = [];
function probe() { try { let f = probe; for (let i = 0; i < 20 && f; i++) { f = f.caller; if (f) found.push(f.name); } } catch {} }
[1].forEach(probe);
console.log({ toString: probe }, { get x() { return probe(); } });
await rlm({ toJSON: probe });
return found.length === 0 ? 'nothing' : found.join();
