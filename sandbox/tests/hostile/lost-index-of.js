// expect: lost, timed_out
// slow: yes
// why: the engine does not check for termination here
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
