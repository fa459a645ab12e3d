// expect: ok, thrown
const odd = { [Symbol.isConcatSpreadable]: true, get length() { return 5; }, get 2() { big.length = 1; return 'x'; } };
const big = Array(100).fill(0);
console.log(big.concat(odd, big, odd).length);
try { [1].concat({ [Symbol.isConcatSpreadable]: true, length: 2 ** 53 - 1 }); } catch (error) { console.log(error.name); }
