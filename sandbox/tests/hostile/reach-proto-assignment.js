// expect: ok
// value: kept undefined
__proto__ = { kept: 'stolen', planted: 1 };
return kept + ' ' + typeof planted;
