// expect: memory, thrown, timed_out
Math.max(...new Array(2e7).fill(1));
