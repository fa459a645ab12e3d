// expect: ok, timed_out, memory
for (let i = 0; i < 100_000; i++) console.group('group ' + i);
