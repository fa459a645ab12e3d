// expect: ok
// why: ids are the host's numbers; an agent can clear only its own
for (let id = 0; id < 2000; id++) { clearTimeout(id); clearInterval(id); }
