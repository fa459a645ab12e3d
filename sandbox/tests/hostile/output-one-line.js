// expect: ok
// output: characters omitted
console.log('x'.repeat(5e6));
