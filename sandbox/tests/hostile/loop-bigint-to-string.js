// expect: timed_out, thrown, memory, lost
// on-v8: ok, timed_out, thrown, memory, lost; slow built-in operations
(7n ** (2n ** 20n)).toString().length;
