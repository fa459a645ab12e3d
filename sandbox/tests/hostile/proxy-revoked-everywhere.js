// expect: ok
// value: 24
const { proxy, revoke } = Proxy.revocable(function () {}, {}); revoke(); let count = 0;
for (const use of [() => console.log(proxy), () => console.log([proxy], { proxy }), () => console.table([proxy]), () => `${proxy}`, () => JSON.stringify({ proxy }), () => structuredClone({ proxy }), () => rlm(proxy), () => rlm('q', proxy), () => rlm('q', '', proxy), () => llm(proxy), () => setTimeout(proxy), () => Object.keys(proxy), () => proxy(), () => new proxy(), () => proxy instanceof proxy, () => require(proxy), () => new URL(proxy), () => Buffer.from(proxy), () => new Error('x', proxy), () => Promise.resolve(proxy), () => require('util').inspect(proxy, { showProxy: true }), () => require('assert').deepEqual(proxy, proxy), () => new Map([[proxy, proxy]]).get(proxy), () => __ctx.readLocal(proxy)]) { try { await use(); } catch {} count++; }
return count;
