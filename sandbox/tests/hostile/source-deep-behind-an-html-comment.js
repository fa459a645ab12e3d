// expect: syntax
// error: nested
x <!-- ' /* `
@repeat(50000, "(")
