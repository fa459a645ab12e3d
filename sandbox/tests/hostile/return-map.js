// expect: ok
return new Map([[{}, new Set([1])]]);
