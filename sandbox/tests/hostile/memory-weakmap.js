// expect: memory, timed_out
const keep = [], weak = new WeakMap();
for (;;) { const key = {}; keep.push(key); weak.set(key, new Array(1000).fill(0)); }
