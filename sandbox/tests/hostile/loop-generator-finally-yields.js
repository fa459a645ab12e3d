// expect: timed_out
function* stubborn() { for (;;) { try { yield 1; } finally { continue; } } }
const open = stubborn();
open.next();
for (;;) open.return(2);
