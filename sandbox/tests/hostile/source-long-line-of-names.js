// expect: syntax
// error: line is too long
// why: for every name, the engine walks back to the start of the line
@repeat(100000, "kept;")
