// expect: ok
Object.prototype.constructor = null;
Array.prototype.constructor = { name: '\u0000'.repeat(1000) };
Function.prototype.constructor = 5;
console.log({}, [], () => {});
Array.prototype.constructor = Array;
Object.prototype.constructor = Object;
