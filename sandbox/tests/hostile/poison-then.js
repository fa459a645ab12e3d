// expect: ok
// value: still mine
Object.prototype.then = function (resolve) { resolve('stolen'); };
Array.prototype.then = function (resolve) { resolve('stolen too'); };
return 'still mine';
