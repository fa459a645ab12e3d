// expect: ok
// value: done
// why: the indentation is limited for groups of any depth
for (let i = 0; i < 100000; i++) console.group();
console.log('deep'); console.table([[1]]);
for (let i = 0; i < 100001; i++) console.groupEnd();
console.log('out');
return 'done';
