// expect: ok, thrown
const { constructor } = rlm('first');
const own = new constructor((resolve) => resolve('mine'));
console.log(await own);
constructor.prototype.then = () => { throw 1; };
Object.defineProperty(constructor, Symbol.species, { value: null });
await rlm('second');
