// expect: syntax
// error: line is too long
// why: the engine walks back to the start of the line from every name
@repeat(100000, "kept;")
