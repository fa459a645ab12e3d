// expect: memory, thrown
// why: no model reads a message of thirty million characters
throw new Error('x'.repeat(30e6));
