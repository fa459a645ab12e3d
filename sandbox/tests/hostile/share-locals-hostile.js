// expect: ok, thrown
__ctx.local = new Proxy({}, { get() { throw new Error('local'); }, ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) });
try { console.log(__ctx.readLocal('root')); } catch (error) { console.log(error.message); }
for (const id of ['root', '', null, {}, '__proto__', Symbol.iterator]) { try { __ctx.readLocal(id); } catch {} }
__ctx.local = { again: {} }; Object.freeze(__ctx.local);
