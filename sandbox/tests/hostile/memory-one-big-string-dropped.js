// expect: memory, thrown, ok
// why: the memory is freed, so the next cell is not closer to the limit
'é\u1234'.repeat(2 ** 24).normalize().length;
