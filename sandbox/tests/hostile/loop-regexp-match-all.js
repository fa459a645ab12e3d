// expect: timed_out, ok, thrown
// why: backtracking without end, in each function that matches
[...'ab'.repeat(30).concat('c').matchAll(/((ab)*)*d/g)];
