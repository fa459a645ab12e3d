// expect: ok
// value: true
const fixed = Object.freeze({ a: 1 }); const handlers = [{ get: () => 2 }, { ownKeys: () => [] }, { has: () => false }, { getPrototypeOf: () => Array.prototype }, { isExtensible: () => true }, { getOwnPropertyDescriptor: () => undefined }, { defineProperty: () => true }, { deleteProperty: () => true }, { preventExtensions: () => false }, { set: () => true }];
let thrown = 0;
for (const handler of handlers) for (const use of [(p) => p.a, (p) => Object.keys(p), (p) => 'a' in p, (p) => Object.getPrototypeOf(p), (p) => Object.isExtensible(p), (p) => delete p.a, (p) => { p.a = 2; }, (p) => Object.defineProperty(p, 'b', { value: 1 }), (p) => console.log(p), (p) => JSON.stringify(p)]) { try { use(new Proxy(fixed, handler)); } catch { thrown++; } }
return thrown > 8;
