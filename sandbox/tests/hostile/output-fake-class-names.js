// expect: ok
console.log(new (class { static name = '\n'.repeat(100_000); })(), Object.create({ constructor: { name: 5 } }), { [Symbol.toStringTag]: 'x'.repeat(1e6) });
