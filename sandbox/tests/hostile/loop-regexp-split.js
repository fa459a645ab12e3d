// expect: timed_out, ok, thrown
// why: backtracking without end, in each function that matches
'a'.repeat(35).concat('!').split(/(a+)+$/).length;
