// expect: never_settles
await Promise.race([new Promise(() => {}), new Promise(() => {})]);
