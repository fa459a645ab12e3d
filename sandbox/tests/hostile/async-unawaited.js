// expect: unawaited
// error: not awaited
const lost = rlm('nobody waits');
