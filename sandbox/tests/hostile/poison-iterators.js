// expect: ok
const prototypes = [[][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), (function* () {})()].map((it) => Object.getPrototypeOf(it));
for (const prototype of prototypes) prototype.next = () => { throw 1; };
