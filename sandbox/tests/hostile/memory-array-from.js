// expect: memory, thrown, timed_out, lost
// slow: yes
Array.from({ length: 1e9 });
