// expect: memory, thrown, ok
// why: nothing keeps it, so that the next cell is no nearer to the limit
'é\u1234'.repeat(2 ** 24).normalize().length;
