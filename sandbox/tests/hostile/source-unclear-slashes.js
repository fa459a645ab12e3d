// expect: syntax
// error: cannot tell divisions
// why: every `/` after a `}` doubles the readings of the following code
@repeat(200, "{} /a/ 1;\n")
