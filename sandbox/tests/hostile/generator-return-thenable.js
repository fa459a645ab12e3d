// expect: ok, thrown
const g = (async function* () { try { yield 1; } finally { await { then() { throw new Error('in then'); } }; } })();
await g.next();
try { await g.return({ get then() { throw new Error('getter'); } }); } catch (error) { console.log(error.message); }
