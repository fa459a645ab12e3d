// expect: lost, timed_out, memory
// slow: yes
Array.prototype.reverse.call({ length: 2 ** 53 - 1 });
