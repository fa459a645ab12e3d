// expect: memory, thrown, timed_out
// slow: yes
let list = [1];
for (;;) list = list.concat(list);
