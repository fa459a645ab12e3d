// expect: lost, memory, thrown, timed_out
// slow: yes
return String.raw({ raw: { length: 2 ** 53 - 1, 0: 'a' } }, 'b').length;
