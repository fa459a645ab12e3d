// expect: ok
Object.freeze(kept);
Object.freeze(context);
let sealed = Object.freeze({ a: 1 });
sealed = 2;
