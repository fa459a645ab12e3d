// expect: timed_out
/(?<=(x+x+)+)y/.exec('x'.repeat(64) + 'zy');
