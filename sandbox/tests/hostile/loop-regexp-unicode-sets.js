// expect: timed_out, ok, thrown
// why: endless backtracking, in each function that matches
/^(?:\p{L}|[\p{L}--[z]])+$/v.test('a'.repeat(45) + '1');
