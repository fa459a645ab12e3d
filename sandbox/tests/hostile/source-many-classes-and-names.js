// expect: ok, timed_out, thrown, memory
// slow: yes
// why: every name is searched among the classes of the cell
@repeat(20000, "class C$n{}\n") @repeat(200000, "kept;\n")
