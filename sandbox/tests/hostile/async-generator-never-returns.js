// expect: never_settles
async function* stubborn() { try { yield 1; } finally { await new Promise(() => {}); } }
for await (const x of stubborn()) break;
