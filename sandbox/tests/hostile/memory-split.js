// expect: memory, thrown, timed_out
'a,'.repeat(2e7).split(',').length;
