// expect: unawaited
// why: the list of calls that nobody awaited must not go through the model's setters
for (let i = 0; i < 10; i++) Object.defineProperty(Array.prototype, i, { configurable: true, set() {} });
const lost = [];
rlm('one') && void 0;
