// expect: timed_out
const again = () => queueMicrotask(again);
again();
await new Promise(() => {});
