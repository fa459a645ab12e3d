// expect: memory, timed_out
const never = new Promise(() => {});
for (;;) (async () => { const held = new Array(1000).fill(0); await never; return held; })();
