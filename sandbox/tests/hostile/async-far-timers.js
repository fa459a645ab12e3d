// expect: waited_too_long
setTimeout(() => {}, Infinity);
setTimeout(() => {}, 1e300);
setTimeout(() => {}, NaN);
setTimeout(() => {}, -1);
await new Promise((resolve) => setTimeout(resolve, 2 ** 53));
