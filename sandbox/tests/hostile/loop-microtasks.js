// expect: timed_out
(function loop() { Promise.resolve().then(loop); })();
await new Promise(() => {});
