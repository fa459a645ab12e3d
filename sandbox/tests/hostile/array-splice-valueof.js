// expect: ok, thrown
const array = Array.from({ length: 1000 }, (_, i) => i);
array.splice({ valueOf() { array.length = 3; return 500; } }, { valueOf() { array.length = 0; return 400; } }, 'x');
array.fill(1, { valueOf() { array.length = 10; return 0; } }, 1e6);
return array.length < 1e7;
