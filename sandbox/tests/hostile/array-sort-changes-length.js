// expect: ok, thrown
const array = Array.from({ length: 5000 }, (_, i) => 5000 - i); let calls = 0;
array.sort((a, b) => { if (++calls % 100 === 0) array.length = 0; return a - b; });
return array.length >= 0;
