// expect: timed_out, ok, thrown
// why: endless backtracking, in each function that matches
const re = /(?:a|a?)+b/y; re.exec('a'.repeat(45));
