// expect: timed_out, thrown, memory, lost
(7n ** (2n ** 20n)).toString().length;
