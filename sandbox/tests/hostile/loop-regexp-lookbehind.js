// expect: ok, timed_out
// why: the engine may see at once that nothing can match
/(?<=^(a+)+)b/.exec('a'.repeat(40) + 'cb');
