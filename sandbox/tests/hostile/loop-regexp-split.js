// expect: timed_out, ok, thrown
// why: endless backtracking, in each function that matches
'a'.repeat(35).concat('!').split(/(a+)+$/).length;
