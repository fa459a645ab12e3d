// expect: timed_out, ok, thrown
// why: endless backtracking, in each function that matches
[...'ab'.repeat(30).concat('c').matchAll(/((ab)*)*d/g)];
