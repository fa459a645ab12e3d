// expect: memory
// error: what it assigned was dropped: *v0*and 2981 more
// why: the message names dropped variables even if there are many
@repeat(3000, "var v$n = $n;\n")
var held = []; for (;;) held.push('x'.repeat(1000) + held.length);
