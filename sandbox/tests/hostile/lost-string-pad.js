// expect: ok, timed_out, memory, thrown, lost
for (let i = 0; i < 100; i++) ''.padEnd(2 ** 29, 'ab').length;
