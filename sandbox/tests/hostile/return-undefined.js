// expect: ok
return undefined;
