// expect: timed_out, waited_too_long
const next = () => setImmediate(next);
next();
await new Promise(() => {});
