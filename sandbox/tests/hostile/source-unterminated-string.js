// expect: syntax
'never closed
