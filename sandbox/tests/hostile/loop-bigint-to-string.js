// expect: timed_out, thrown, memory, lost
// on-v8: ok, timed_out, thrown, memory, lost; work that ends
(7n ** (2n ** 20n)).toString().length;
