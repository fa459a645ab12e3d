// expect: ok, thrown, memory, timed_out
const ring = [1]; ring.push(ring);
console.log(ring.flat(50).length);
ring.flat(Infinity);
