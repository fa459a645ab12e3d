// expect: ok, timed_out, memory
const tree = (n) => n === 0 ? {} : Object.fromEntries(Array.from({ length: 20 }, (_, i) => ['k' + i, tree(n - 1)]));
const grown = tree(3);
console.dir(grown, { depth: Infinity });
