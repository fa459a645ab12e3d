// expect: thrown
// error: unknown option
await rlm('q', '', { agent: 1, id: 2, __proto__: { model: 'x' } });
