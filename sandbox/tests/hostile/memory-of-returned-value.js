// expect: memory, thrown, ok
return 'x'.repeat(60e6);
