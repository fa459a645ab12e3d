// expect: ok
// value: TypeError TypeError answered
// why: status() works only on calls
const call = rlm('x');
const { status } = call;
const nameOf = async (object) => { try { await status.call(object); return 'none'; } catch (error) { return error.name; } };
await call;
return `${await nameOf({})} ${await nameOf(Object.create(call))} ${(await call.status()).state}`;
