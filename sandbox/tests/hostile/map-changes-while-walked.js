// expect: ok, timed_out, memory
// value: 50001
const map = new Map([[0, 0]]); let steps = 0;
for (const [key] of map) { if (++steps > 50000) break; map.delete(key); map.set(key + 1, 1); if (steps % 100 === 0) map.clear(), map.set(steps, 1); }
const set = new Set([1]); set.forEach(function again(x) { if (set.size < 1000) { set.add(x + 1); set.delete(x - 5); } });
return steps;
