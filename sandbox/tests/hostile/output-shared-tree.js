// expect: ok, timed_out
// why: thirty objects that print as a billion
let tree = { leaf: 1 };
for (let i = 0; i < 30; i++) tree = { left: tree, right: tree };
console.dir(tree, { depth: Infinity });
