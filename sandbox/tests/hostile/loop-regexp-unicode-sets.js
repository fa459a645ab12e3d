// expect: timed_out, ok, thrown
// why: backtracking without end, in each function that matches
/^(?:\p{L}|[\p{L}--[z]])+$/v.test('a'.repeat(45) + '1');
