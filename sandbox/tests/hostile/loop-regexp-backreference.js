// expect: timed_out, ok, thrown
// why: endless backtracking, in each function that matches
/^(a*)*\1\1b$/.test('a'.repeat(60));
