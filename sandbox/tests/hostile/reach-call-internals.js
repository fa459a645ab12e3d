// expect: ok
// value: 
// why: the promise of a call does not expose its agent
const call = rlm('x');
await call;
return Reflect.ownKeys(call).concat(Reflect.ownKeys(call.constructor)).concat(Reflect.ownKeys(call.constructor.prototype)).map(String).filter((key) => !['length', 'name', 'prototype', 'constructor', 'then', 'toString', 'status', 'Symbol(Symbol.species)'].includes(key)).join();
