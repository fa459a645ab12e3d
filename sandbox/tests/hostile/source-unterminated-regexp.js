// expect: syntax
/never closed
