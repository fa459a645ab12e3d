// expect: timed_out
'x'.repeat(60).replace(/(x+x+)+y/g, '');
