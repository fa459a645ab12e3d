// expect: ok
Error.captureStackTrace = () => { throw 1; };
Error.prepareStackTrace = () => { throw 2; };
console.log(new Error('x'));
