// expect: syntax, thrown, ok
yield 1;
