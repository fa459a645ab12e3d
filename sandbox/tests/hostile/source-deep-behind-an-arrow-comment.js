// expect: syntax
// error: nested
let before = 1
/* */ --> ' /* `
@repeat(50000, "(")
