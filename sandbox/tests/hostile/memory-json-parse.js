// expect: memory, thrown, timed_out
const text = '[' + '[1,2,3],'.repeat(3e6) + '0]';
return JSON.parse(text).length;
