// expect: ok, memory
// value: 100001
// on-v8: ok, memory; memory of deep objects
const map = new WeakMap(); let key = {}; const first = key;
for (let i = 0; i < 100000; i++) { const next = {}; map.set(key, next); key = next; }
let length = 0; for (let at = first; at; at = map.get(at)) length++;
return length;
