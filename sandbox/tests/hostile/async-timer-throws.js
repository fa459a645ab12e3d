// expect: ok
// output: Uncaught (in timer) Error: from a timer
setTimeout(() => { throw new Error('from a timer'); }, 1);
setTimeout(() => { throw undefined; }, 1);
await new Promise((resolve) => setTimeout(resolve, 20));
