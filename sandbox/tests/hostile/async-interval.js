// expect: timed_out, waited_too_long
setInterval(() => {}, 0);
await new Promise(() => {});
