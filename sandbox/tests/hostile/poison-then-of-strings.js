// expect: ok
// value: answer to q
String.prototype.then = function (resolve) { resolve('stolen'); };
return await rlm('q');
