// expect: ok
// value: first
return await { then(resolve, reject) { resolve('first'); resolve('second'); reject('third'); throw 4; } };
