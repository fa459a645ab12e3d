// expect: unawaited
// value: done
queueMicrotask(() => { rlm('after the return').catch(() => {}); });
return 'done';
