// expect: lost, timed_out, memory
// slow: yes
// on-v8: ok, timed_out, thrown, memory, lost; work that ends
new Array(1e9).join('');
