// expect: syntax
/* never closed
