// expect: ok, thrown, never_settles, timed_out
class Mine extends Promise { then() { return this; } static get [Symbol.species]() { throw 1; } }
await new Mine(() => {});
