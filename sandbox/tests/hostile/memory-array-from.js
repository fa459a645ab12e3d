// expect: memory, thrown, timed_out, lost
Array.from({ length: 1e9 });
