// expect: timed_out
setTimeout(() => { for (;;) {} }, 1);
await new Promise((resolve) => setTimeout(resolve, 200));
