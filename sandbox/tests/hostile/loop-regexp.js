// expect: timed_out
/^(a+)+$/.test('a'.repeat(40) + 'b');
