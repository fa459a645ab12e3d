// expect: timed_out, ok, thrown
// why: backtracking without end, in each function that matches
const re = /(?:a|a?)+b/y; re.exec('a'.repeat(45));
