// expect: thrown
new RegExp('('.repeat(2e5) + ')'.repeat(2e5));
