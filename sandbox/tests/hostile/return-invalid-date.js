// expect: ok
return new Date(NaN);
