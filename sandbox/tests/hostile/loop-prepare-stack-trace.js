// expect: thrown, timed_out, ok
// keeps: no
// why: the hook runs whenever an error is made, even by the library
Error.prepareStackTrace = () => { for (;;) {} };
console.log(new Error('x').stack);
missing.property;
