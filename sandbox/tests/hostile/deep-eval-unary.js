// expect: thrown, ok
eval('!'.repeat(1e6) + '1');
