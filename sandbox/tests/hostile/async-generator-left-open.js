// expect: ok
async function* numbers() { try { for (let i = 0; ; i++) yield await llm('n' + i); } finally { await new Promise(() => {}); } }
const open = numbers();
await open.next();
await open.next();
