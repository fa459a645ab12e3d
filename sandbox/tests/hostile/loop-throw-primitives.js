// expect: timed_out
// why: the engine checks for termination at every n-th call, which must not always be a call that writes a stack
for (;;) { try { throw 1; } catch {} }
