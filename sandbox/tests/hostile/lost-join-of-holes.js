// expect: lost, timed_out, memory
// slow: yes
// on-v8: ok, timed_out, thrown, memory, lost; slow built-in operations
new Array(1e9).join('');
