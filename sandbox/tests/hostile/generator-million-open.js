// expect: ok, memory
const open = []; for (let i = 0; i < 20000; i++) { const g = (function* () { try { yield i; } finally { open.length = 0; } })(); g.next(); open.push(g); }
return open.length;
