// expect: ok, thrown
const callee = (function () { return [arguments.callee, arguments.callee.caller]; })();
console.log(callee[1] === undefined || callee[1] === null);
