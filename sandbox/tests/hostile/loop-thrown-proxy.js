// expect: thrown, timed_out
const spin = () => { for (;;) {} };
throw new Proxy({}, { get: spin, has: spin, ownKeys: spin, getPrototypeOf: spin, getOwnPropertyDescriptor: spin });
