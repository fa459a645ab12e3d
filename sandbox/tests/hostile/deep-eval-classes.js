// expect: thrown, ok, timed_out, lost
eval('(class { a = '.repeat(1e4) + '1' + '})'.repeat(1e4));
