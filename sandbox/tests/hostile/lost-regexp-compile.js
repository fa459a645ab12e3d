// expect: ok, thrown, timed_out, memory, lost
new RegExp('(?:a{0,1000}){0,1000}'.repeat(100)).test('a'.repeat(1000));
