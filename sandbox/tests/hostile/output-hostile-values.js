// expect: ok
const revoked = Proxy.revocable({}, {});
revoked.revoke();
console.log(revoked.proxy, [revoked.proxy], { get x() { throw 1; } }, Object.create(null), { [Symbol('s')]: 1 });
console.log(Object.defineProperty([], 'length', { value: 2 ** 32 - 1 }), new (class extends Array {})(5));
console.log(Object.create({ get constructor() { throw 1; } }), Object.create({ constructor: { get name() { throw 1; } } }));
console.table(revoked.proxy);
