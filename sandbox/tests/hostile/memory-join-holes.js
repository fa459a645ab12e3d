// expect: memory, thrown, timed_out, lost
// slow: yes
new Array(2 ** 26).join('0123456789');
