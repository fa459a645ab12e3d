// expect: unawaited
// why: the list of unawaited calls must not call setters of the model
for (let i = 0; i < 10; i++) Object.defineProperty(Array.prototype, i, { configurable: true, set() {} });
const lost = [];
rlm('one') && void 0;
