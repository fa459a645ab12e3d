// expect: memory, thrown, timed_out
let list = [1];
for (;;) list = list.concat(list);
