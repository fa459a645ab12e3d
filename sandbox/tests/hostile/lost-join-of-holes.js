// expect: lost, timed_out, memory
new Array(1e9).join('');
