// expect: syntax
// error: with
with (globalThis) { x = 1; }
