// expect: memory
// error: what it assigned was dropped: *v0*and 2981 more
// why: the message names what was dropped, however much that is
@repeat(3000, "var v$n = $n;\n")
var held = []; for (;;) held.push('x'.repeat(1000) + held.length);
