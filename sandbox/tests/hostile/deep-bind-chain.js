// expect: thrown, ok, timed_out, memory
let f = () => 1;
for (let i = 0; i < 100_000; i++) f = f.bind(null);
f();
