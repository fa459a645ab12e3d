// expect: ok, timed_out, syntax, lost, memory
// slow: yes
{ @repeat(100000, "let v$n;\n") }
