// expect: lost, timed_out, memory
Array.prototype.reverse.call({ length: 2 ** 53 - 1 });
