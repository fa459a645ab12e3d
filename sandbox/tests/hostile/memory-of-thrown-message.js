// expect: memory, thrown
// why: a message of thirty million characters must be shortened
throw new Error('x'.repeat(30e6));
