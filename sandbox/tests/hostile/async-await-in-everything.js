// expect: ok
// value: a1,2,3true1
const later = (x) => new Promise((resolve) => queueMicrotask(() => resolve(x)));
const value = `${await later('a')}${[await later(1), ...(await later([2, 3]))]}${(await later({ f: async (x = 4) => x })).f instanceof Function}`;
class A { [await later('m')]() { return 1; } static x = 5; }
for (let i = await later(0); i < (await later(2)); i += await later(1)) for await (const x of [later(i)]) { if (x) break; }
switch (await later(1)) { case await later(1): break; default: throw 1; }
return value + new A().m();
