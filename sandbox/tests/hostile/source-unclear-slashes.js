// expect: syntax
// error: cannot tell divisions
// why: every `/` behind a `}` doubles the ways to read what follows
@repeat(200, "{} /a/ 1;\n")
