// expect: ok, timed_out
// why: the console inspects a proxy without calling its traps
const trap = () => { for (;;) {} };
console.log(new Proxy({ a: 1 }, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap }));
