// expect: ok, thrown
// why: the comparator shortens the array being sorted
const buffer = new ArrayBuffer(80000, { maxByteLength: 80000 }); const array = new Float64Array(buffer); let calls = 0;
array.sort((a, b) => { if (++calls === 50) buffer.resize(8); return a - b; });
return array.length;
