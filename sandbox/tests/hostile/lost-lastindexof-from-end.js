// expect: lost, timed_out, memory
// slow: yes
Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);
