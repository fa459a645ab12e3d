// expect: ok, thrown, memory
return 'x'.padStart(2 ** 30 - 1, 'ab').padEnd(2 ** 31).length;
