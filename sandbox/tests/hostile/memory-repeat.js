// expect: memory, thrown, ok
'x'.repeat(2 ** 30 - 2).length;
