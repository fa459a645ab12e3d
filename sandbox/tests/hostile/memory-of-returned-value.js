// expect: memory, thrown, ok
// slow: yes
return 'x'.repeat(60e6);
