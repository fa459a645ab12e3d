// expect: lost, timed_out, memory
new Array(4e9 >>> 0).fill(0);
