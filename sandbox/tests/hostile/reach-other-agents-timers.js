// expect: ok
// why: ids are the host's numbers; only one's own can be cleared
for (let id = 0; id < 2000; id++) { clearTimeout(id); clearInterval(id); }
