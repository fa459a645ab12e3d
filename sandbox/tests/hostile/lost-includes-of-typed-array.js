// expect: ok, lost, timed_out, memory, thrown
new Float64Array(2 ** 27).includes(1);
