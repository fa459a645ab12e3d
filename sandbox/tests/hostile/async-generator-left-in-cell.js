// expect: ok
function* g() { try { yield 1; } finally { console.log('closed'); } }
const open = g();
open.next();
