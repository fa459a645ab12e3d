// expect: ok
// value: undefined undefined undefined undefined undefined
return [typeof process, typeof Deno, typeof Bun, typeof module, typeof exports].join(' ');
