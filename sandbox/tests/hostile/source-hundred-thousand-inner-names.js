// expect: ok, timed_out, syntax, lost, memory
{ @repeat(100000, "let v$n;\n") }
