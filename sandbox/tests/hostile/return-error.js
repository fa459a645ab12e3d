// expect: ok
return new Error('as an answer');
