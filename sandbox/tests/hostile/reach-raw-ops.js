// expect: ok, thrown
// why: a host function can only be called through its wrapper
const { now } = performance;
for (const wrong of [() => new now(), () => now.call(null, {}, Symbol('x')), () => Reflect.construct(now, [], class {}), () => now.apply({}, new Array(1000)), () => class extends now {}]) { try { wrong(); } catch {} }
console.log(now.name, typeof now());
