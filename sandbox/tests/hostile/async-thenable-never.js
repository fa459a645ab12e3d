// expect: never_settles
await { then() {} };
