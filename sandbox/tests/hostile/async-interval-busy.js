// expect: timed_out, waited_too_long
const beat = setInterval(() => { for (let i = 0; i < 1e5; i++); }, 0);
await new Promise(() => {});
