// expect: thrown, ok
eval('if (0) ;' + 'else if (0) ;'.repeat(1e5));
