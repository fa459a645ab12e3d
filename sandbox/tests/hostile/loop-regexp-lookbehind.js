// expect: ok, timed_out
// why: the engine may detect immediately that no match is possible
/(?<=^(a+)+)b/.exec('a'.repeat(40) + 'cb');
