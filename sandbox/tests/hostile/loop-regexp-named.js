// expect: timed_out, ok, thrown
// why: endless backtracking, in each function that matches
'a'.repeat(45).replace(/(?<x>(?:a?){30}a{30}b)/, '$<x>');
