// expect: ok
// value: own object
let __proto__ = { kept: 'stolen' };
__proto__.x = 1;
const o = { __proto__ };
return (Object.hasOwn(o, '__proto__') ? 'own' : 'inherited') + ' ' + typeof __proto__;
