// expect: timed_out, lost
// why: a termination ends one microtask, and a thousand others are still queued
for (let i = 0; i < 1000; i++) (function loop() { Promise.resolve().then(loop); })();
await new Promise(() => {});
