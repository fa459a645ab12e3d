// expect: ok
// value: undefined undefined undefined undefined undefined undefined
return [typeof process, typeof Deno, typeof Bun, typeof global, typeof module, typeof exports].join(' ');
