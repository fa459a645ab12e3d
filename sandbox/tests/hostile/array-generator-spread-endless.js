// expect: timed_out, memory, thrown
function* endless() { for (;;) yield 1; }
Math.max(...endless());
