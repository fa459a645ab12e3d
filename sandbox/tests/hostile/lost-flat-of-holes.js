// expect: lost, timed_out, memory, thrown
// slow: yes
new Array(2 ** 32 - 1).flat();
