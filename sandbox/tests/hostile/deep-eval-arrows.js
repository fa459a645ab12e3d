// expect: thrown, ok, timed_out, lost
eval('a=>'.repeat(5e4) + '1');
