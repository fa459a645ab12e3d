try { globalThis.Error = null } catch {} try { globalThis.Array = 1 } catch {} Function.prototype.call = () => 'patched'; console.log(typeof globalThis.Error, typeof globalThis.Array, (function () { return 'own' }).call());
// ---- patched prototypes do not break printing
const { push } = Array.prototype; Array.prototype.push = () => { throw 1 }; Array.prototype[Symbol.iterator] = null; String.prototype.slice = null; JSON.stringify = () => 'patched'; Object.prototype.inherited = 1; console.log([1, { a: 'b' }]);
// ----
console.log('still', { here: true }, JSON.stringify({}));
// ----
return { answered: [1] }
// ---- promises and objects
Promise.prototype.then = null; Promise.resolve = null; Object.defineProperty = null; Object.keys = null; Symbol.iterator = 1; Map.prototype.get = null; console.log('alive');
// ----
await null; console.log(await rlm('still answered', 'x'), __rlm.depth);
// ----
console.log = null
// ----
console.error([1, 2, 3]); return [1, { two: 2 }]
