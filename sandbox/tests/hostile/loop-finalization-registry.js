// expect: ok, timed_out
const registry = new FinalizationRegistry(() => { for (;;) {} });
for (let i = 0; i < 1000; i++) registry.register({}, i);
await new Promise((resolve) => setTimeout(resolve, 20));
