// expect: thrown
const refuse = () => { throw new Error('trap'); };
return new Proxy({}, { ownKeys: refuse, getPrototypeOf: refuse });
