// expect: lost, timed_out
// why: the engine does not look for a termination in here
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
