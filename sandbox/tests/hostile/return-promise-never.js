// expect: never_settles
return new Promise(() => {});
