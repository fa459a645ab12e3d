// expect: unawaited, timed_out
// error: *
for (let i = 0; i < 2000; i++) llm('nobody waits ' + i);
