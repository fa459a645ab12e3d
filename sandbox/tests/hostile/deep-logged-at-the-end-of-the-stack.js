// expect: ok, thrown
// why: the console is called when no stack is left
(function down() { try { down(); } catch { console.log({ a: [1] }); } })();
