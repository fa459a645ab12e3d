// expect: ok
// on-v8: thrown; frozen targets
const target = {};
Error.captureStackTrace(target, rlm);
Error.captureStackTrace(Object.freeze({}));
Error.stackTraceLimit = Infinity;
console.log(typeof target.stack);
Error.stackTraceLimit = -1;
new Error('x').stack;
Error.stackTraceLimit = { valueOf() { throw 1; } };
new Error('x').stack;
Error.stackTraceLimit = 10;
