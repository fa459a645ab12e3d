// expect: ok, thrown
// why: a function of the host is callable only in the ways of its wrapper
const { now } = performance;
for (const wrong of [() => new now(), () => now.call(null, {}, Symbol('x')), () => Reflect.construct(now, [], class {}), () => now.apply({}, new Array(1000)), () => class extends now {}]) { try { wrong(); } catch {} }
console.log(now.name, typeof now());
