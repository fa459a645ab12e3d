// expect: ok, timed_out, syntax, lost
{ @repeat(100000, "let v$n;\n") }
