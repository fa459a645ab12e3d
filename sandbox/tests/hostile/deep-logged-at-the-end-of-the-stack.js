// expect: ok, thrown
// why: the console is called when the stack is full
(function down() { try { down(); } catch { console.log({ a: [1] }); } })();
