// expect: syntax, thrown, timed_out, lost
// slow: yes
// on-v8: ok, timed_out, thrown, memory, lost; slow built-in operations
// why: a hundred thousand members in one expression, compiled inside the engine
eval('globalThis' + '.globalThis'.repeat(1e5));
