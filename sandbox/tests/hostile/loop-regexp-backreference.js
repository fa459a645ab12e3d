// expect: timed_out, ok, thrown
// why: backtracking without end, in each function that matches
/^(a*)*\1\1b$/.test('a'.repeat(60));
