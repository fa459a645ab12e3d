// expect: syntax, thrown, timed_out, lost
// why: a hundred thousand members in one expression, compiled inside the engine
eval('globalThis' + '.globalThis'.repeat(1e5));
