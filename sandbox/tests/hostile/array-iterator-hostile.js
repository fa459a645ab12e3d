// expect: ok
// value: 30
const ends = [];
const odd = [() => ({ next: 5 }), () => ({ next() { return 5; } }), () => 5, () => ({ next() { return { get done() { throw new Error('done'); } }; } }), () => { let n = 0; return { next: () => ({ done: n++ > 9 }), return() { throw new Error('return'); } }; }, () => ({ next: () => ({ value: 1, done: true }), return: 7 })];
for (const make of odd) for (const use of [(it) => { for (const x of it) break; }, (it) => { const [a] = it; }, (it) => new Map(it), (it) => { const [a, b, c] = it; }, (it) => Promise.all(it).catch(() => {})]) { try { use({ [Symbol.iterator]: make }); ends.push(1); } catch { ends.push(0); } }
return ends.length;
