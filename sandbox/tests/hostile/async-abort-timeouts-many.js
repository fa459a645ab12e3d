// expect: ok, thrown
// why: each call starts a timer, and timers are limited
const signals = []; for (let i = 0; i < 11000; i++) signals.push(AbortSignal.timeout(i % 50));
await new Promise((resolve) => setTimeout(resolve, 60));
return signals.filter((s) => s.aborted).length > 0;
