// expect: syntax
// error: nested
1 / 2 / 3; a = b / c; d = /'/g; @repeat(50000, "[") '
