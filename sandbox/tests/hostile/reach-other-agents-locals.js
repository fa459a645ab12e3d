// expect: ok
// value: undefined true
__ctx.local.mine = 1;
const other = __ctx.readLocal('__proto__');
return typeof other + ' ' + Object.isFrozen(__ctx.readLocal('root'));
