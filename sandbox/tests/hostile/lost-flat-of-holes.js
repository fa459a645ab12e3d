// expect: lost, timed_out, memory, thrown
new Array(2 ** 32 - 1).flat();
