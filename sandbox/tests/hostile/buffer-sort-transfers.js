// expect: ok, thrown
// why: the comparator detaches the buffer being sorted
const array = new Float64Array(1e4).map((_, i) => 1e4 - i); let calls = 0;
array.sort((a, b) => { if (++calls === 50) structuredClone(array.buffer, { transfer: [array.buffer] }); return a - b; });
return array.length;
