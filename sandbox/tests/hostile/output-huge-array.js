// expect: ok
// output: more items
console.log(new Array(1e6).fill(1));
