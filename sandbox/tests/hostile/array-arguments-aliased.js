// expect: ok
// value: x,2,7,7
function odd(a, b) { arguments[0] = 'x'; arguments.length = 5; Array.prototype.push.call(arguments, 1, 2); delete arguments[1]; Object.defineProperty(arguments, 0, { get() { return 'g'; } }); return [a, b, arguments.length, [...arguments].length]; }
return odd(1, 2).join();
