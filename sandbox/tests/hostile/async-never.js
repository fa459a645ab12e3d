// expect: never_settles
await new Promise(() => {});
